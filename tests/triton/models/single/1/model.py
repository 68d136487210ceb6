"""Answers with its process id, after computing or hanging for as long as it is told to."""

import os
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [answer(request) for request in requests]


def answer(request):
    sent = {tensor.name(): int(tensor.as_numpy()[0]) for tensor in request.inputs() if tensor.name() != "DATA"}
    end = time.monotonic() + sent.get("SPIN_MS", 0) / 1000
    while time.monotonic() < end:
        pass
    time.sleep(sent.get("SLEEP_MS", 0) / 1000)
    return pb_utils.InferenceResponse([pb_utils.Tensor("PID", np.array([os.getpid()], np.int32))])
