"""Runs Triton and keeps it well, beside `npm start` and in the container alike. docs/decisions/0014 says why it is shaped so.

usage: TRITON_ADMIN_SECRET=... python3 keeper.py tritonserver --http-port=... [more of Triton's flags]

OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS have Triton send spans of its own to the collector of the service.

- Triton answers health checks to everyone, and everything else only to who sends the secret. Doors that the secret does not
  guard (SageMaker, Vertex AI) stay shut.
- A Python process (stub) that has died, or has hung, has its model unloaded and loaded again; Triton itself does neither.
- A Python process that is still loading a model with a file UNWANTED in its folder is killed: it may hang.
- When that does not help, or Triton itself hangs, Triton is ended. Whoever runs this starts both again.
- Of models whose config has the parameter cores_per_instance there are more instances on a machine with more cores; Triton
  knows fixed numbers only.
"""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

HEADER = "x-enhance-admin"
RESTRICTED = "metadata,inference,shared-memory,model-config,model-repository,statistics,trace,logging"
SHUT = ["--allow-sagemaker=false", "--allow-vertex-ai=false"]
"""Before 26.03 these endpoints reach models past the restriction (CVE-2026-24207); an environment variable opens the second."""
MOST_BYTES = 1 << 30
"""Of one HTTP request. Releases from 25.05 on refuse requests above 64 MiB unless told otherwise; our largest is 192 MB."""
PATIENCE = float(os.environ.get("KEEPER_PATIENCE") or 1)
"""How long the times below are that a hang may last: more for a machine that stalls, less for tests."""
LOOK_SECONDS = 1.0
REGIONS_SECONDS = 0.1
SETTLED_SECONDS = 10.0
"""So long after it has made a file of shared memory, Triton has set its mode: it does both at once, and a machine may stall."""
START_SECONDS = 600.0
"""Triton listens when the models of its flags are loaded; a network is compiled for the processor then."""
MISS_SECONDS = 5.0 * PATIENCE
MISSES = 3
"""So many health checks in a row without an answer, each of MISS_SECONDS, are a hang."""
FROZEN_SECONDS = 15.0 * PATIENCE
PING_SECONDS = 15.0 * PATIENCE
IDLE_SECONDS = 20.0 * PATIENCE
BUSY_SHARE = 0.003
"""A model that answers no ping for IDLE_SECONDS, and neither uses so much of a processor nor waits for one, waits for what will
not come."""
WAIT_SHARE = 0.2
"""The same for waiting: what computes and gets no processor waits nearly all the time. The main thread of a process that hangs
wakes up once a second and may wait then, too: up to 2 % of 20 s at a load of 25 on two cores."""
LONGEST_SECONDS = 1800.0 * PATIENCE
"""A model that has answered nobody for so long is at something that does not end."""
UNWANTED = ".unwanted"
"""The service puts this file into the folder of a model that it has given up; src/models/release-folder.ts names it too."""
STUCK_SECONDS = 30.0 * PATIENCE
"""A process that ended before it listened, and that Triton has not cleared away by then, is one that Triton waits for."""
PING_WITHIN_SECONDS = 6 * 3600.0
CORES_PER_INSTANCE = re.compile(r'key: "cores_per_instance", value: { string_value: "(\d+)" }')
COUNT = re.compile(r"(?<=instance_group \[ { count: )\d+")
MOST_INSTANCES = 8
"""Of a model, where the machine has cores for more: each takes 60 to 200 MB."""
LOAD_SECONDS = 180.0 * PATIENCE
"""A load whose processes, for so long, do less than BUSY_SHARE is one that does not end. On a busy machine it may take as long
as it likes: to start Triton anew would have all other models load as well, and make the machine busier."""


class Stub:
    """One Python process of a model."""

    def __init__(self, folder: Path | None, now: float) -> None:
        self.folder, self.model = folder, folder.name if folder else ""
        """Of its model; not known of one that was dead at the first look."""
        self.ran = now
        """When it was last seen not stopped."""
        self.listens: float | None = None
        """When it was first seen to have a second thread. Triton 24.10 waits for that one without looking whether the process
        lives: one that ends or is killed before leaves Triton unable to load anything (`StubLauncher::Launch`)."""
        self.ended: float | None = None
        """When it was first seen dead; of a model that is unloaded Triton clears them away before the next look."""
        self.leaves = False
        """Its model was given up, or was loaded again in other processes: what happens to it is of no model that is served."""

    def is_unwanted(self) -> bool:
        return self.folder is not None and (self.folder / UNWANTED).exists()


class Effort(NamedTuple):
    """Seconds for which a process had a processor, and for which it waited for one."""

    ran: float
    waited: float


class Ping:
    """A tiny inference, sent from a thread of its own: behind real work it waits its turn."""

    def __init__(self, now: float) -> None:
        self.answer: str | None = None
        self.seen = now
        self.effort: dict[int, Effort] = {}
        """When it was last looked at what the model's processes do, and their `effort_seconds` then."""
        self.progressed, self.answered = now, -1
        """When the model was last seen to have answered somebody, and how many it had."""


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


class Keeper:
    def __init__(self, pid: int, triton: Triton) -> None:
        self._pid, self._triton = pid, triton
        self._stubs: dict[int, Stub] = {}
        self._strangers: set[str] = set()
        self._pings: dict[str, Ping] = {}
        self._ready: list[str] = []
        self._misses, self._started = 0, time.monotonic()
        self._was_live, self._checked, self._pinged = False, 0.0, 0.0

    def look(self) -> str | None:
        """One look at everything. A sentence when Triton has to be started anew."""
        now = time.monotonic()
        if now - self._checked >= MISS_SECONDS or not self._was_live:
            self._checked = now
            if fault := self._check_live(now):
                return fault
        if not self._was_live or self._misses:
            return None
        broken = self._dead_models(now) | self._unwell_models(now)
        self._end_unwanted(now)
        if broken and (fault := self._repair(broken)):
            return fault
        if fault := self._stuck(now):
            return fault
        if now - self._pinged >= PING_SECONDS:
            self._pinged = now
            self._ping_all(now)
        return None

    def _check_live(self, now: float) -> str | None:
        if self._triton.live():
            if not self._was_live:
                say("Triton listens")
                hide(self._pid, self._triton.secret.encode())
            self._was_live, self._misses = True, 0
            return None
        if not self._was_live:
            late = now - self._started > START_SECONDS
            return f"Triton did not listen within {START_SECONDS:.0f} s" if late else None
        self._misses += 1
        return f"Triton answered none of {MISSES} health checks" if self._misses >= MISSES else None

    def _dead_models(self, now: float) -> set[str]:
        """The models of stubs that have died. Stubs that were stopped for too long are killed here, and dead next time."""
        dead = set()
        children = stubs_of(self._pid, self._strangers)
        self._stubs = {pid: stub for pid, stub in self._stubs.items() if pid in children}
        for pid, (state, threads, folder) in children.items():
            stub = self._stubs.setdefault(pid, Stub(folder, now))
            if threads > 1:
                stub.listens = stub.listens or now
            if state == "Z" and not stub.leaves:
                # Triton may keep it while another model is loaded under its name.
                stub.leaves = stub.is_unwanted()
                if stub.ended and stub.model and not stub.leaves:
                    dead.add(stub.model)
                stub.ended = stub.ended or now
            elif state != "T":
                stub.ran = now
            elif now - stub.ran > FROZEN_SECONDS:
                say(f"a process of {stub.model} is stopped; it is killed")
                kill(pid)
        return dead

    def _unwell_models(self, now: float) -> set[str]:
        """Models whose ping was answered by Triton in place of their stub, and those that hang."""
        unwell = set()
        for model, ping in list(self._pings.items()):
            if ping.answer is not None:
                del self._pings[model]
                if re.search("stub process", ping.answer, re.IGNORECASE):
                    unwell.add(model)
            elif fault := self._hangs(model, ping, now):
                say(f"{model} {fault}; its processes are killed")
                for pid in self._stubs_of(model):
                    kill(pid)
                unwell.add(model)
        return unwell

    def _hangs(self, model: str, ping: Ping, now: float) -> str | None:
        """A busy model is no hung one: its processes compute, and every now and then somebody gets an answer."""
        if now - ping.seen < IDLE_SECONDS:
            return None
        before, ping.effort = ping.effort, {pid: effort_seconds(pid) for pid in self._stubs_of(model)}
        if not is_busy(before, ping.effort, now - ping.seen):
            return f"answers no ping and has done nothing for {now - ping.seen:.0f} s"
        with contextlib.suppress(OSError):
            answered = self._triton.answered(model)
            if answered != ping.answered:
                ping.answered, ping.progressed = answered, now
        ping.seen = now
        return f"has answered nobody for {LONGEST_SECONDS:.0f} s" if now - ping.progressed > LONGEST_SECONDS else None

    def _stubs_of(self, model: str) -> list[int]:
        return [pid for pid, stub in self._stubs.items() if stub.model == model and not stub.leaves]

    def _end_unwanted(self, now: float) -> None:
        """Kills what still loads a model that was given up. A model that is ready may have work, until it is unloaded."""
        listening = {pid: stub for pid, stub in self._stubs.items() if stub.listens and now - stub.listens >= LOOK_SECONDS}
        unwanted = {
            pid: stub.model for pid, stub in listening.items() if not (stub.ended or stub.leaves) and stub.is_unwanted()
        }
        if not unwanted:
            return
        # The thread of Triton that loads it may be the one that would answer; the next look asks another.
        with contextlib.suppress(OSError):
            loading = self._triton.models("LOADING")
            for pid, model in unwanted.items():
                if model in loading:
                    say(f"{model} was given up while it was loading; its process is killed")
                    self._stubs[pid].leaves = True
                    kill(pid)

    def _stuck(self, now: float) -> str | None:
        """Whether Triton waits for a process that will not listen any more."""
        for stub in self._stubs.values():
            if stub.ended and not stub.listens and now - stub.ended > STUCK_SECONDS:
                return f"Triton waits for a process of {stub.model or 'a model'} that ended before it listened"
        return None

    def _repair(self, models: set[str]) -> str | None:
        try:
            self._ready = self._triton.models("READY")
        except OSError:
            return None  # a thread that loads a model answers nobody: the dead are still there at the next look
        try:
            for model in models.intersection(self._ready):
                say(f"{model} has lost a process; it is unloaded and loaded again")
                self._pings.pop(model, None)
                for pid in self._stubs_of(model):
                    self._stubs[pid].leaves = True
                self._triton.reload(model, self._loads(model))
                say(f"{model} is loaded again")
        except OSError as fault:
            return f"a model could not be loaded again: {fault}"
        return None

    def _loads(self, model: str) -> Callable[[], bool]:
        """Whether the load of a model that begins now is stuck, for who asks again and again."""
        since, before = time.monotonic(), dict[int, Effort]()

        def is_stuck() -> bool:
            nonlocal since, before
            children = stubs_of(self._pid, self._strangers)
            effort = {pid: effort_seconds(pid) for pid, (_, _, folder) in children.items() if folder and folder.name == model}
            now = time.monotonic()
            if is_busy(before, effort, now - since):
                since, before = now, effort
            return now - since > LOAD_SECONDS

        return is_stuck

    def _ping_all(self, now: float) -> None:
        with contextlib.suppress(OSError):
            self._ready = self._triton.models("READY")
            for model in self._ready:
                if model not in self._pings and self._stubs_of(model):
                    self._pings[model] = Ping(now)
                    threading.Thread(target=self._ping, args=(model, self._pings[model]), daemon=True).start()

    def _ping(self, model: str, ping: Ping) -> None:
        ping.answer = self._triton.ping(model)


def stubs_of(parent: int, strangers: set[str]) -> dict[int, tuple[str, int, Path | None]]:
    """Triton's Python processes by their id: the state's letter, how many threads, and the model's folder, which a dead one no
    longer tells.

    strangers: processes of others, which are not looked at again.
    """
    found = {}
    numbers = {folder.name for folder in os.scandir("/proc") if folder.name.isdigit()}
    strangers &= numbers
    for number in numbers - strangers:
        with contextlib.suppress(OSError):
            name, fields = status_of(number)
            if fields[1] != str(parent):
                strangers.add(number)
            elif name.startswith("triton_python"):
                words = Path(f"/proc/{number}/cmdline").read_text().split("\0")
                folders = [Path(word).parents[1] for word in words if word.endswith("/model.py")]
                found[int(number)] = (fields[0], int(fields[17]), folders[0] if folders else None)
    return found


def status_of(pid: int | str) -> tuple[str, list[str]]:
    """A process's name, which may hold any bytes, and what follows it in /proc/<pid>/stat. Raises OSError when it has gone."""
    name, _, fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").partition("(")[2].rpartition(")")
    return name, fields.split()


def close_regions(prefix: str) -> None:
    """Triton makes its shared memory readable for everyone, whatever the umask. Never returns."""
    looked = 0.0
    while True:
        # Until a while after the last file was made: Triton may set its mode once more.
        if Path("/dev/shm").stat().st_mtime >= looked - SETTLED_SECONDS:
            looked = time.time()
            for file in Path("/dev/shm").glob(f"{prefix}*"):
                with contextlib.suppress(OSError):
                    file.chmod(0o600)
        time.sleep(REGIONS_SECONDS)


def effort_seconds(pid: int) -> Effort:
    """For how long the process had a processor, and for how long its threads that compute were ready for one and had none.

    Those are the nicer ones (serving/pulse.py). The others of a model that hangs go on to wake up and, on a busy machine, wait.
    """
    efforts = []
    with contextlib.suppress(OSError):
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):  # it has ended meanwhile
                efforts.append(thread_seconds(thread))
    return total(efforts)


def thread_seconds(thread: Path) -> Effort:
    fields = (thread / "stat").read_text(errors="replace").rpartition(")")[2].split()
    try:
        ran, waited, _ = (int(word) for word in (thread / "schedstat").read_text().split())
    except FileNotFoundError:  # a kernel that does not count
        return Effort((int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), 0.0)
    return Effort(ran / 1e9, waited / 1e9 if int(fields[16]) > 0 else 0.0)


def total(efforts: Iterable[Effort]) -> Effort:
    ran, waited = 0.0, 0.0
    for effort in efforts:
        ran, waited = ran + effort.ran, waited + effort.waited
    return Effort(ran, waited)


def is_busy(before: dict[int, Effort], after: dict[int, Effort], seconds: float) -> bool:
    """Whether processes, by their `effort_seconds`, did something in that time, or are others than before."""
    if before.keys() != after.keys():
        return True
    old, new = total(before.values()), total(after.values())
    return new.ran - old.ran >= BUSY_SHARE * seconds or new.waited - old.waited >= WAIT_SHARE * seconds


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def hide(pid: int, secret: bytes) -> None:
    """Takes the secret out of what `ps` shows to every account: Triton knows its flags by now.

    Where the kernel forbids writing to a child's memory the secret stays to be seen.
    """
    with contextlib.suppress(OSError, ValueError):
        words = Path(f"/proc/{pid}/cmdline").read_bytes()
        start = int(status_of(pid)[1][45])
        with Path(f"/proc/{pid}/mem").open("r+b", buffering=0) as memory:
            for match in re.finditer(re.escape(secret), words):
                memory.seek(start + match.start())
                memory.write(b"x" * len(secret))


def guarded(command: list[str], secret: str) -> list[str]:
    """Triton's command with its restrictions. A flag that only some releases know is added where their help lists it."""
    rule = f"{RESTRICTED}:{HEADER}={secret}"
    known = subprocess.run([command[0], "--help"], capture_output=True, text=True, check=False).stdout
    largest = [f"--http-max-input-size={MOST_BYTES}"] if "--http-max-input-size" in known else []
    return [*command, *SHUT, *largest, f"--http-restricted-api={rule}", f"--grpc-restricted-protocol={rule}"]


def traced(endpoint: str) -> list[str]:
    """Flags by which Triton sends spans to a collector; none without one.

    endpoint: the base URL of a collector that takes OTLP over HTTP.
    rate=0: only of calls that name a span as their parent. The service decides what is recorded.
    """
    if not endpoint:
        return []
    target = [f"url={endpoint.rstrip('/')}/v1/traces", "resource=service.name=enhance-triton", "bsp_schedule_delay=1000"]
    settings = ["mode=opentelemetry", "level=TIMESTAMPS", "rate=0", *(f"opentelemetry,{setting}" for setting in target)]
    return [f"--trace-config={setting}" for setting in settings]


def spread_first(command: list[str], folder: Path) -> list[str]:
    """Triton's command with `spread` applied to its first repository. Releases come into the second one while Triton runs: they
    have the instances that their configs say."""
    flag = "--model-repository="
    first = next((word for word in command if word.startswith(flag)), None)
    if not first:
        return command
    repository = spread(Path(first.removeprefix(flag)), usable_cores(), folder)
    return [f"{flag}{repository}" if word == first else word for word in command]


def usable_cores() -> int:
    """ENHANCE_THREADS, by which who shares a machine says how much of it the models may use; else all that Triton may use."""
    return int(os.environ.get("ENHANCE_THREADS") or len(os.sched_getaffinity(0)))


def spread(repository: Path, cores: int, folder: Path) -> Path:
    """A repository in the empty `folder` with as many instances of each model as it wants on so many cores.

    It has links to all but the configs that differ. Where none would, the repository itself is returned.
    """
    texts = {config.parent.name: config.read_text() for config in repository.glob("*/config.pbtxt")}
    changed = {model: more for model, text in texts.items() if (more := with_instances(text, cores)) != text}
    if not changed:
        return repository
    for model in repository.iterdir():
        if model.name not in changed:
            (folder / model.name).symlink_to(model.resolve())
            continue
        (folder / model.name).mkdir()
        for part in model.iterdir():
            if part.name != "config.pbtxt":
                (folder / model.name / part.name).symlink_to(part.resolve())
        (folder / model.name / "config.pbtxt").write_text(changed[model.name])
    return folder


def with_instances(config: str, cores: int) -> str:
    """The text of a config.pbtxt with an instance for each `cores_per_instance` cores: its own count or more, MOST_INSTANCES or
    fewer. Without that parameter it stays as it is."""
    wanted = CORES_PER_INSTANCE.search(config)
    if not wanted:
        return config
    count = min(MOST_INSTANCES, cores // int(wanted[1]))
    return COUNT.sub(lambda stated: str(max(int(stated[0]), count)), config)


def say(words: str) -> None:
    print(f"keeper: {words}", file=sys.stderr, flush=True)


def given(name: str) -> str | None:
    """A variable, or what the file of NAME_FILE holds; None when that cannot be told. Triton's environment loses both."""
    value, path = (os.environ.pop(each, "") for each in (name, f"{name}_FILE"))
    if not path:
        return value
    if value:
        say(f"expected {name} or {name}_FILE, not both")
        return None
    try:
        return Path(path).read_text().removesuffix("\n").removesuffix("\r")
    except OSError as fault:
        say(f"{name}_FILE: {fault}")
        return None


def main(command: list[str]) -> int:
    secret, headers = given("TRITON_ADMIN_SECRET"), given("OTEL_EXPORTER_OTLP_HEADERS")
    if secret is None or headers is None:
        return 2
    if not re.fullmatch(r"[\w-]{16,}", secret, re.ASCII):
        say("TRITON_ADMIN_SECRET: expected at least 16 letters, digits, - or _")
        return 2
    flags = dict(word[2:].split("=", 1) for word in command if word.startswith("--") and "=" in word)
    regions = re.search(r"shm-region-prefix-name=(\w+)", " ".join(command))
    os.umask(0o077)
    if headers:
        # Percent-encoded here, while Triton's exporter sends them as they stand.
        os.environ["OTEL_EXPORTER_OTLP_HEADERS"] = urllib.parse.unquote(headers)
    tracing = traced(os.environ.get("OTEL_EXPORTER_OTLP_ENDPOINT", ""))
    if regions:
        threading.Thread(target=close_regions, args=(regions[1],), daemon=True).start()
    with tempfile.TemporaryDirectory(prefix="enhance-models-") as folder:
        child = subprocess.Popen([*guarded(spread_first(command, Path(folder)), secret), *tracing])
        try:
            return stay_with(child, Keeper(child.pid, Triton(flags["http-port"], secret)))
        finally:
            # Nobody would watch over it, and it would hold the ports of the next one.
            child.kill()
            child.wait()


def stay_with(child: subprocess.Popen[bytes], keeper: Keeper) -> int:
    """The status to exit with, once Triton has ended or has to be started anew."""
    told_to_end = threading.Event()

    def end(*_: object) -> None:
        told_to_end.set()
        child.terminate()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, end)
    # subprocess's own wait with a timeout looks 20 times a second.
    waiting = threading.Thread(target=child.wait, daemon=True)
    waiting.start()
    while True:
        waiting.join(LOOK_SECONDS)
        status: int | None = child.returncode
        if status is not None:
            return abs(status)
        if told_to_end.is_set():
            continue
        if fault := keeper.look():
            say(f"{fault}; Triton is ended, to be started again")
            return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
