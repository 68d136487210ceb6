"""What the keeper asks of Triton."""

import contextlib
import http.client
import json
import socket
import threading
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

from keeper.flags import HEADER
from keeper.times import LOAD_SECONDS, LOOK_SECONDS, MISS_SECONDS, PING_WITHIN_SECONDS


class Triton:
    """Triton's HTTP, with the secret."""

    def __init__(self, port: str, secret: str) -> None:
        self.secret, self._port, self._url = secret, port, f"http://127.0.0.1:{port}/v2"
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open

    def ask(self, path: str, seconds: float, body: object = None) -> bytes:
        """The answer; a refusal raises HTTPError, silence OSError."""
        data = None if body is None else json.dumps(body).encode()
        headers = {HEADER: self.secret, "content-type": "application/json"}
        try:
            with self._open(urllib.request.Request(self._url + path, data, headers), timeout=seconds) as reply:
                content: bytes = reply.read()
                return content
        except http.client.HTTPException as broken:
            raise OSError(f"no whole answer: {broken}") from broken

    def live(self) -> bool:
        try:
            self.ask("/health/live", MISS_SECONDS)
        except OSError:
            return False
        return True

    def models(self, state: str) -> list[str]:
        """Those in this state: READY, LOADING, UNLOADING or UNAVAILABLE."""
        index = self.ask("/repository/index", MISS_SECONDS, {})
        with whole():
            return [entry["name"] for entry in json.loads(index) if entry.get("state") == state]

    def reload(self, model: str, is_stuck: Callable[[], bool] = lambda: False) -> None:
        """Loading alone changes nothing while the model counts as loaded.

        Raises OSError, also when Triton stops listening meanwhile: a process (stub) that dies can bring it down, and it may
        hang then, with its connections open. And when `is_stuck`, which is asked once a second, says so.
        """
        path = f"/repository/models/{urllib.parse.quote(model, safe='')}"
        faults: list[OSError] = []

        def both() -> None:
            try:
                self.ask(f"{path}/unload", PING_WITHIN_SECONDS, {})
                self.ask(f"{path}/load", PING_WITHIN_SECONDS, {})
            except OSError as fault:
                faults.append(fault)

        reloading = threading.Thread(target=both, daemon=True)
        reloading.start()
        while reloading.is_alive():
            reloading.join(LOOK_SECONDS)
            if not reloading.is_alive():
                break
            if self.refuses():
                raise OSError("Triton no longer listens")
            if is_stuck():
                raise OSError(f"its processes have done nothing for {LOAD_SECONDS:.0f} s")
        if faults:
            raise faults[0]

    def refuses(self) -> bool:
        """Whether nothing listens on its port. A Triton that is busy, or hangs, still has its connections accepted."""
        try:
            socket.create_connection(("127.0.0.1", int(self._port)), MISS_SECONDS).close()
        except OSError as fault:
            return isinstance(fault, ConnectionRefusedError)
        return False

    def answered(self, model: str) -> int:
        """How many requests the model has answered so far, well or not."""
        path = f"/models/{urllib.parse.quote(model, safe='')}/stats"
        answer = self.ask(path, MISS_SECONDS)
        with whole():
            stats = json.loads(answer)["model_stats"][0]["inference_stats"]
            return int(stats["success"]["count"]) + int(stats["fail"]["count"])

    def ping(self, model: str) -> str:
        """What a request without pixels or sound is answered; a model's refusal is a sign of life too."""
        path = f"/models/{urllib.parse.quote(model, safe='')}"
        try:
            config = json.loads(self.ask(f"{path}/config", MISS_SECONDS))
            return self.ask(f"{path}/infer", PING_WITHIN_SECONDS, nothing_for(config)).decode(errors="replace")
        except urllib.error.HTTPError as refusal:
            return refusal.read().decode(errors="replace")
        except (OSError, LookupError, ValueError) as other:
            return str(other)


@contextlib.contextmanager
def whole() -> Iterator[None]:
    """What is read of an answer; one that lacks something counts as silence."""
    try:
        yield
    except (LookupError, TypeError, ValueError) as other:
        raise OSError(f"no whole answer: {other!r}") from other


def nothing_for(config: dict[str, Any]) -> dict[str, Any]:
    """A request of this model with every free length 0; serving/shell.py answers it before the model sees it."""
    inputs = []
    for tensor in config["input"]:
        if not tensor.get("optional"):
            shape = [max(0, int(length)) for length in tensor["dims"]]
            count = 1
            for length in shape:
                count *= length
            kind = tensor["data_type"].removeprefix("TYPE_")
            inputs.append({"name": tensor["name"], "datatype": kind, "shape": shape, "data": [0] * count})
    return {"inputs": inputs, "outputs": [{"name": config["output"][0]["name"]}], "parameters": {"ping": True}}
