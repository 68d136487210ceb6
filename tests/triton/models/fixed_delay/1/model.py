"""Repeats every pixel, after a fixed time."""

import json
import time

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        parameters = json.loads(args["model_config"])["parameters"]
        self.delay_seconds = int(parameters["delay_ms"]["string_value"]) / 1000

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        until = time.monotonic() + self.delay_seconds
        image = pb_utils.get_input_tensor_by_name(request, "IMAGE").as_numpy()
        scale = int(pb_utils.get_input_tensor_by_name(request, "SCALE").as_numpy()[0])
        outputs = {
            "IMAGE": image.repeat(scale, axis=0).repeat(scale, axis=1),
            "ENGINE": np.array(["fixed delay"], dtype=np.object_),
        }
        wanted = request.requested_output_names()
        tensors = [pb_utils.Tensor(name, outputs[name]) for name in wanted]
        time.sleep(max(0, until - time.monotonic()))
        return pb_utils.InferenceResponse(tensors)
