"""What the three upscaling models have in common as Triton models; each models/<name>/1/model.py only names itself."""

import json
import os
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import triton_python_backend_utils as pb_utils

from enhance.engine import choose_engine
from enhance.picture import BadPictureError
from enhance.upscaler import Upscaler, open_upscaler

WEIGHTS = Path(__file__).parents[2] / ".enhance" / "weights"


class CancelledError(Exception):
    """The caller has gone: nobody waits for the rest of the picture."""


class UpscalerModel:
    """Inputs IMAGE and SCALE, outputs IMAGE and, for who asks, ENGINE: see config.pbtxt."""

    model: str
    upscaler: Upscaler

    def initialize(self, args: dict[str, str]) -> None:
        release = json.loads(args["model_config"])["parameters"]["release"]["string_value"]
        weights = Path(os.environ.get("ENHANCE_WEIGHTS") or WEIGHTS)
        engine = choose_engine(os.environ, int(args["model_instance_device_id"]))
        self.upscaler = open_upscaler(self.model, weights, engine)
        pb_utils.Logger.log_info(f"{args['model_name']}: {release} on {self.upscaler.engine}")

    def execute(self, requests: list[Any]) -> list[Any]:
        return [self._answer(request) for request in requests]

    def _answer(self, request: Any) -> Any:
        """One request's answer or its error; either way the others of the list are served."""
        try:
            return pb_utils.InferenceResponse(self._outputs(request))
        except BadPictureError as fault:
            return _error(str(fault), pb_utils.TritonError.INVALID_ARG)
        except CancelledError:
            return _error("the caller cancelled", pb_utils.TritonError.CANCELLED)
        except Exception as fault:
            pb_utils.Logger.log_error(f"{self.model}: {traceback.format_exc()}")
            return _error(f"{type(fault).__name__}: {fault}", pb_utils.TritonError.INTERNAL)

    def _outputs(self, request: Any) -> list[Any]:
        wanted = request.requested_output_names()
        outputs = []
        if "IMAGE" in wanted:
            outputs.append(pb_utils.Tensor("IMAGE", self._picture(request)))
        if "ENGINE" in wanted:
            outputs.append(pb_utils.Tensor("ENGINE", np.array([self.upscaler.engine], np.object_)))
        return outputs

    def _picture(self, request: Any) -> Any:
        scale = pb_utils.get_input_tensor_by_name(request, "SCALE").as_numpy()
        if scale.size != 1:
            raise BadPictureError(f"expected SCALE [1], got {list(scale.shape)}")
        picture = pb_utils.get_input_tensor_by_name(request, "IMAGE").as_numpy()

        def stop_if_cancelled() -> None:
            if request.is_cancelled():
                raise CancelledError

        return self.upscaler.run(picture, int(scale[0]), stop_if_cancelled)


def _error(message: str, code: int) -> Any:
    return pb_utils.InferenceResponse(output_tensors=[], error=pb_utils.TritonError(message, code))
