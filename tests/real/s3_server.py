"""OpenStack Swift with its S3 API: a real S3 server, all four of its servers in one process, on one folder.

usage: s3_server.py FOLDER PORT. Prints "ready" when it answers on 127.0.0.1. Credentials: test:tester, testing.
"""

import logging
import sys
import warnings
from array import array
from pathlib import Path

warnings.filterwarnings("ignore", message="(?s).*Eventlet is deprecated")

import eventlet  # noqa: E402
import eventlet.wsgi  # noqa: E402

eventlet.monkey_patch()

from swift.common import utils  # noqa: E402
from swift.common.ring import RingData  # noqa: E402
from swift.common.wsgi import loadapp  # noqa: E402

PARTS = ("account", "container", "object")
SWIFT = """
[swift-hash]
swift_hash_path_prefix = tests
swift_hash_path_suffix = tests
[storage-policy:0]
name = default
default = yes
"""
STORAGE = """
[pipeline:main]
pipeline = {name}-server
[app:{name}-server]
use = egg:swift#{name}
"""
PROXY = """
[pipeline:main]
pipeline = s3api tempauth slo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:s3api]
use = egg:swift#s3api
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
[filter:slo]
use = egg:swift#slo
"""


def main(root: Path, port: int) -> None:
    conf = root / "conf"
    conf.mkdir(parents=True)
    (root / "devices" / "disk").mkdir(parents=True)
    (conf / "swift.conf").write_text(SWIFT)
    utils.SWIFT_CONF_FILE = str(conf / "swift.conf")
    utils.validate_hash_conf()

    def serve(name: str, text: str, socket: eventlet.greenio.GreenSocket) -> None:
        common = f"[DEFAULT]\nswift_dir = {conf}\ndevices = {root / 'devices'}\nmount_check = false\n"
        path = conf / f"{name}.conf"
        path.write_text(common + text)
        eventlet.wsgi.server(socket, loadapp(str(path)), logging.getLogger("s3"), log_output=False)

    sockets = {name: eventlet.listen(("127.0.0.1", 0)) for name in PARTS}
    for name, socket in sockets.items():
        RingData([array("H", [0, 0])], [device(socket.getsockname()[1])], 31).save(
            str(conf / f"{name}.ring.gz")
        )
    for name, socket in sockets.items():
        eventlet.spawn(serve, name, STORAGE.format(name=name), socket)
    proxy = eventlet.listen(("127.0.0.1", port))
    print("ready", flush=True)
    serve("proxy", PROXY, proxy)


def device(port: int) -> dict[str, object]:
    where = {"ip": "127.0.0.1", "port": port}
    replication = {"replication_ip": "127.0.0.1", "replication_port": port}
    return {"id": 0, "region": 1, "zone": 0, "weight": 1.0, "device": "disk", **where, **replication}


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve(), int(sys.argv[2]))
