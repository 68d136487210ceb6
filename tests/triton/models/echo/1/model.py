"""Returns what it is sent; fails or sleeps when it is told to."""

import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [answer(request) for request in requests]


def answer(request):
    sent = {tensor.name(): tensor.as_numpy() for tensor in request.inputs()}
    if "SLEEP_MS" in sent:
        time.sleep(int(sent["SLEEP_MS"][0]) / 1000)
    if "FAIL" in sent:
        return pb_utils.InferenceResponse(error=pb_utils.TritonError(sent["FAIL"][0].decode()))
    wanted = request.requested_output_names()
    return pb_utils.InferenceResponse([pb_utils.Tensor(name, OUTPUTS[name](sent)) for name in wanted])


def seen_in(sent):
    seen = [f"{name} {array.dtype} {list(array.shape)}" for name, array in sorted(sent.items())]
    return np.array(seen, dtype=np.object_)


def mean_of(sent):
    return np.array([sent["DATA"].mean() if sent["DATA"].size else 0], dtype=np.float32)


OUTPUTS = {"DATA": lambda sent: sent["DATA"], "SEEN": seen_in, "MEAN": mean_of}
"""What is computed only where it is asked for: the mean of a frame takes longer than the frame's way here and back."""
