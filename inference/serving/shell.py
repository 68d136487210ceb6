"""What all models have in common as Triton models: each request gets its own answer or error, whatever happens to others."""

import json
import os
import traceback
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import triton_python_backend_utils as pb_utils

from .pulse import pulse_of_this_process

PULSE = pulse_of_this_process()


def weights_folder() -> Path:
    """The folder of the networks that inference.build made: ENHANCE_WEIGHTS, or .enhance/weights of the repository."""
    return Path(os.environ.get("ENHANCE_WEIGHTS") or Path(__file__).parents[2] / ".enhance" / "weights")


def parameter(args: dict[str, str], name: str) -> str:
    """A parameter of the model's config.pbtxt; args: as Triton gives them to `initialize`. Raises KeyError."""
    return str(json.loads(args["model_config"])["parameters"][name]["string_value"])


def peak_memory() -> int:
    """The most memory that this process has had, in bytes."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:"))


class CancelledError(Exception):
    """The caller has gone, so no answer is needed."""


class Shell:
    """A Triton model by one method, `run`. A ValueError from it is the caller's fault, anything else the model's."""

    def run(self, inputs: "Inputs", wanted: list[str]) -> dict[str, npt.NDArray[Any]]:
        """The outputs by name, at least those that are `wanted`; others are not sent."""
        raise NotImplementedError

    def execute(self, requests: list[Any]) -> list[Any]:
        """One response for each request, in order.

        A ping of the keeper, to see whether the process lives, gets no outputs. A request for `memory` is answered by an error
        that says how much the process has taken at most: Triton 24.10 lets a Python model answer only tensors and errors.
        """
        if PULSE:
            PULSE.begin()
        answers = [self._answer(request) for request in requests]
        if PULSE:
            PULSE.check()
        return answers

    def _answer(self, request: Any) -> Any:
        sent = json.loads(request.parameters() or "{}")
        if "ping" in sent:
            return pb_utils.InferenceResponse([])
        if "memory" in sent:
            return _error(f"memory: {peak_memory()} bytes", pb_utils.TritonError.UNSUPPORTED)
        try:
            inputs = Inputs(request)
            inputs.stop_if_cancelled()
            wanted = list(request.requested_output_names())
            outputs = self.run(inputs, wanted)
            return pb_utils.InferenceResponse([pb_utils.Tensor(name, outputs[name]) for name in wanted])
        except ValueError as fault:
            return _error(str(fault), pb_utils.TritonError.INVALID_ARG)
        except CancelledError:
            return _error("the caller cancelled", pb_utils.TritonError.CANCELLED)
        except Exception as fault:
            pb_utils.Logger.log_error(f"{type(self).__name__}: {traceback.format_exc()}")
            return _error(f"{type(fault).__name__}: {fault}", pb_utils.TritonError.INTERNAL)


class Inputs:
    """A request's tensors by name."""

    def __init__(self, request: Any) -> None:
        self._request = request

    def stop_if_cancelled(self) -> None:
        """To be called now and then during long work. Raises CancelledError when the caller has gone."""
        # Asked about a request that it has given up, Triton crashes.
        if PULSE:
            PULSE.check()
        if self._request.is_cancelled():
            raise CancelledError

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        """An input. Raises ValueError where it was not sent."""
        tensor = pb_utils.get_input_tensor_by_name(self._request, name)
        if tensor is None:
            raise ValueError(f"expected the input {name}, got none")
        values: npt.NDArray[Any] = tensor.as_numpy()
        return values

    def get(self, name: str) -> npt.NDArray[Any] | None:
        """An optional input; None where it was not sent."""
        tensor = pb_utils.get_input_tensor_by_name(self._request, name)
        return None if tensor is None else tensor.as_numpy()

    def number(self, name: str) -> int | float:
        """An input of one number. Raises ValueError for none or several."""
        values = self[name]
        if values.size != 1:
            raise ValueError(f"expected {name} [1], got {list(values.shape)}")
        number: int | float = np.ravel(values)[0].item()
        return number


def _error(message: str, code: int) -> Any:
    return pb_utils.InferenceResponse(output_tensors=[], error=pb_utils.TritonError(message, code))
