"""What runs a network: OpenVINO on a CPU, onnxruntime on an NVIDIA GPU. One ONNX file serves both."""

import ctypes
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from enhance.picture import FloatPlanes

Values = npt.NDArray[Any]

EngineKind = Literal["openvino", "cuda", "tensorrt", "onnxruntime"]
KINDS: tuple[EngineKind, ...] = ("openvino", "cuda", "tensorrt", "onnxruntime")
BF16_FLAGS = {"avx512_bf16", "amx_bf16"}
VNNI_FLAGS = {"avx512_vnni", "avx_vnni"}
MOST_CALLERS = 8  # of a GPU: of 16, each would wait longer for it than it computes
MOST_STREAMS = 8  # of one core each; more were not measured
SHAPES_KEPT = 512  # kernels that OpenVINO keeps for shapes seen; without a bound memory grows with every new picture size


@dataclass(frozen=True)
class Engine:
    """What opens networks. Each `open` takes the path of an ONNX file; most give a function of planes."""

    name: str
    """Engine and precision, for logs."""
    open: Callable[[Path], Callable[[FloatPlanes], FloatPlanes]]
    """Its next answer may overwrite the last one."""
    open_exact: Callable[[Path], Callable[[FloatPlanes], FloatPlanes]]
    """The same in more than the 8 bits of bf16; `open` itself where that has more."""
    open_half: Callable[[Path], Callable[[FloatPlanes], FloatPlanes]]
    """As `open`, in half floats where these are faster, for networks whose values stay below 65504, the largest half float."""
    open_streams: "Callable[[Path], list[Callable[[Values], Values]]]"
    """As `open_exact`, for arrays of any type: a function for each picture that is computed at a time, each for one thread."""
    has_vnni: bool
    """Whether convolutions of 8 bits are faster than those of floats."""
    open_graph: "Callable[[Path], Graph]"
    """Any network of fixed shapes and one output, in f32."""
    plans_each_size: bool = False
    """Whether planes of another size than the last take many times as long."""
    callers: int = 1
    """How many threads may call what `open`, `open_exact` and `open_half` give at a time: several for a GPU, which would
    otherwise wait for what one core of the CPU computes round the network."""


@dataclass(frozen=True)
class Graph:
    """An opened network of fixed shapes. shapes: of its inputs, in their order. For one thread at a time."""

    shapes: Mapping[str, tuple[int, ...]]
    run: Callable[[list[npt.NDArray[np.float32]]], Any]

    def __call__(self, *inputs: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Its output for its inputs, as a new array."""
        return np.array(self.run([np.ascontiguousarray(each, np.float32) for each in inputs]), np.float32)


def choose_engine(environment: Mapping[str, str], device: int = 0) -> Engine:
    """The engine named by ENHANCE_ENGINE, or with `auto` the fastest of this machine. device: number of the GPU.

    Raises RuntimeError when the named one is unknown or cannot run here: a slower one is never taken instead.
    """
    asked = environment.get("ENHANCE_ENGINE") or "auto"
    threads = int(environment.get("ENHANCE_THREADS") or len(os.sched_getaffinity(0)))
    if asked == "auto":
        asked = "cuda" if cuda_devices() and "CUDAExecutionProvider" in _providers() else "openvino"
    if asked == "openvino":
        return _openvino(threads)
    if asked in ("cuda", "tensorrt", "onnxruntime"):
        return _onnxruntime(asked, threads, device)
    raise RuntimeError(f"expected ENHANCE_ENGINE auto, {', '.join(KINDS)}, got {asked}")


def _core() -> Any:
    """OpenVINO's Core."""
    # When it is imported OpenVINO tells its maker so over the internet, with an id that it keeps in ~/intel. It does not where
    # this package, which pip installs with it, is missing.
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
    import openvino

    # Its first tensor looks numpy up under a lock that does not let go of Python's: two threads that come first wait for ever.
    openvino.Tensor(np.zeros(1, np.float32), shared_memory=True)
    return openvino.Core()


def _openvino(threads: int) -> Engine:
    core = _core()
    precision = "bf16" if BF16_FLAGS & cpu_flags() else "f32"
    settings = {
        "INFERENCE_PRECISION_HINT": precision,
        "INFERENCE_NUM_THREADS": threads,
        "CPU_RUNTIME_CACHE_CAPACITY": SHAPES_KEPT,
    }

    exact = {**settings, "INFERENCE_PRECISION_HINT": "f32"}

    def asking(request: Any) -> Callable[[Values], Values]:
        def run(planes: Values) -> Values:
            request.infer([np.ascontiguousarray(planes)[None]], share_inputs=True)
            return np.asarray(request.get_output_tensor(0).data[0])

        return run

    def open_with(settings: dict[str, Any], path: Path) -> Callable[[Values], Values]:
        return asking(core.compile_model(core.read_model(path), "CPU", settings).create_infer_request())

    def open_streams(path: Path) -> list[Callable[[Values], Values]]:
        streams = min(threads, MOST_STREAMS)
        compiled = core.compile_model(core.read_model(path), "CPU", {**exact, "NUM_STREAMS": streams})
        return [asking(compiled.create_infer_request()) for _ in range(streams)]

    def open_graph(path: Path) -> Graph:
        compiled = core.compile_model(core.read_model(path), "CPU", exact)
        request = compiled.create_infer_request()

        def run(inputs: list[npt.NDArray[np.float32]]) -> Any:
            request.infer(inputs, share_inputs=True)
            return request.get_output_tensor(0).data

        return Graph({each.any_name: tuple(each.shape) for each in compiled.inputs}, run)

    open_network = partial(open_with, settings)
    open_exact = partial(open_with, exact) if precision == "bf16" else open_network
    has_vnni = bool(VNNI_FLAGS & cpu_flags())
    return Engine(f"openvino {precision}", open_network, open_exact, open_network, open_streams, has_vnni, open_graph)


def _onnxruntime(kind: str, threads: int, device: int) -> Engine:
    import onnxruntime

    if kind != "onnxruntime" and hasattr(onnxruntime, "preload_dlls"):
        onnxruntime.preload_dlls()  # finds the CUDA libraries of the pip packages

    def open_session(path: Path, is_half: bool = False) -> Any:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        wanted = _wanted_providers(kind, device, path)
        session = onnxruntime.InferenceSession(in_half(path) if is_half else str(path), options, providers=wanted)
        # onnxruntime falls back to the CPU silently, which would be a hundred times slower.
        if session.get_providers()[0] != wanted[0][0]:
            raise RuntimeError(f"expected onnxruntime to run on {wanted[0][0]}, it offers {session.get_providers()}")
        return session

    gpu = Lock()  # two networks beside each other take more of its memory, and no less time

    def open_network(path: Path, is_half: bool = False) -> Callable[[FloatPlanes], FloatPlanes]:
        session = open_session(path, is_half)
        name = session.get_inputs()[0].name

        def run(planes: FloatPlanes) -> FloatPlanes:
            with gpu:
                return np.asarray(session.run(None, {name: planes[None]})[0][0])

        return run

    def open_graph(path: Path) -> Graph:
        session = open_session(path)
        shapes = {each.name: tuple(each.shape) for each in session.get_inputs()}
        return Graph(shapes, lambda inputs: session.run(None, dict(zip(shapes, inputs, strict=True)))[0])

    def open_streams(path: Path) -> list[Callable[[Values], Values]]:
        return [open_network(path)]

    cpu = Engine("onnxruntime cpu", open_network, open_network, open_network, open_streams, False, open_graph)
    if kind == "onnxruntime":
        return cpu
    open_half = partial(open_network, is_half=True) if kind == "cuda" else open_network  # TensorRT chooses by itself
    callers = min(threads, MOST_CALLERS)
    return replace(cpu, name=f"onnxruntime {kind}", open_half=open_half, plans_each_size=True, callers=callers)


def in_half(path: Path) -> bytes:
    """A network with weights and values in half floats; input and output stay f32."""
    import onnx
    from onnxruntime.transformers.float16 import convert_float_to_float16

    return bytes(convert_float_to_float16(onnx.load(str(path)), keep_io_types=True).SerializeToString())


def _wanted_providers(kind: str, device: int, path: Path) -> list[tuple[str, dict[str, Any]]]:
    # The default search takes slower algorithms, the exhaustive one seconds. Channels last go with half floats.
    settings = {"device_id": device, "cudnn_conv_algo_search": "HEURISTIC", "prefer_nhwc": "1"}
    cuda = ("CUDAExecutionProvider", settings)
    if kind == "cuda":
        return [cuda, ("CPUExecutionProvider", {})]
    if kind == "tensorrt":
        cache = {"trt_engine_cache_enable": True, "trt_engine_cache_path": str(path.parent / "tensorrt")}
        return [("TensorrtExecutionProvider", {"device_id": device, "trt_fp16_enable": True, **cache}), cuda]
    return [("CPUExecutionProvider", {})]


def _providers() -> list[str]:
    if find_spec("onnxruntime") is None:
        return []
    import onnxruntime

    return list(onnxruntime.get_available_providers())


def cuda_devices() -> int:
    """How many GPUs the NVIDIA driver offers; 0 without a driver."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return 0
    count = ctypes.c_int(0)
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return 0
    return count.value


def cpu_flags() -> set[str]:
    """The CPU's flags as /proc/cpuinfo names them. bf16 without AVX512_BF16 or AMX costs accuracy and gains no time."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return set()
    return next((set(line.split(":", 1)[1].split()) for line in lines if line.startswith("flags")), set())


def open_small_network(path: Path, batch: int = 1) -> Callable[..., list[Any]]:
    """A network of a few milliseconds, on one CPU thread in f32: a GPU would gain nothing, and bf16 moves landmarks.

    The function takes the graph's inputs in their order and returns its outputs in theirs, as new arrays. It is for one thread
    at a time. A network of which only the batch is left open takes batches of this size.
    """
    core = _core()
    settings = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, "CPU_RUNTIME_CACHE_CAPACITY": SHAPES_KEPT}
    model = core.read_model(path)
    shapes = {each.any_name: each.partial_shape for each in model.inputs}
    if all(shape.rank.is_static and not any(side.is_dynamic for side in list(shape)[1:]) for shape in shapes.values()):
        # With every side known OpenVINO takes a fifth less time.
        model.reshape({name: [batch, *list(shape)[1:]] for name, shape in shapes.items()})
    compiled = core.compile_model(model, "CPU", settings)
    request = compiled.create_infer_request()

    def run(*inputs: Any) -> list[Any]:
        request.infer([np.ascontiguousarray(each) for each in inputs], share_inputs=True)
        return [np.array(request.get_output_tensor(index).data) for index in range(len(compiled.outputs))]

    return run
