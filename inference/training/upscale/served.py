"""The exported network as the service runs it: OpenVINO, on one thread here."""

import time

import numpy as np
import onnx
import openvino

from enhance.engine import BF16_FLAGS, cpu_flags

from .judge import Enlarge
from .planes import Plane

_FRAMES = 4  # of a round
_SIDES = (360, 640)


def opened(model: onnx.ModelProto, precision: str | None = None) -> Enlarge:
    """A function of planes. precision: "f32" or "bf16"; None for bf16 where the CPU has it."""
    precision = precision or ("bf16" if BF16_FLAGS & cpu_flags() else "f32")
    settings = {"INFERENCE_PRECISION_HINT": precision, "INFERENCE_NUM_THREADS": 1}
    core = openvino.Core()
    request = core.compile_model(core.read_model(model.SerializeToString()), "CPU", settings).create_infer_request()

    def enlarge(plane: Plane) -> Plane:
        request.infer([np.ascontiguousarray(plane)[None, None]], share_inputs=True)
        return np.array(request.get_output_tensor(0).data[0, 0])

    return enlarge


def cpu_ms(enlarge: Enlarge, rounds: int) -> float:
    """CPU time for a frame of 640 x 360, in ms: the best of some rounds, as others may use the machine."""
    frame = np.random.default_rng(0).integers(16, 236, _SIDES, dtype=np.uint8)
    enlarge(frame)
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        for _ in range(_FRAMES):
            enlarge(frame)
        best = min(best, (time.process_time() - began) / _FRAMES)
    return 1000 * best
