"""Requests to the shells of serving/, and what comes back."""

import json
from typing import Any

import numpy as np
import numpy.typing as npt

from serving.shell import Shell
from tests.triton import InferenceResponse, Request, TritonError

Values = npt.NDArray[Any]
NAN = float("nan")


def floats(*shape: int, value: float = 0.0) -> Values:
    return np.full(shape, value, np.float32)


def answer(shell: Shell, wanted: tuple[str, ...], inputs: dict[str, Values]) -> InferenceResponse:
    (response,) = shell.execute([Request(inputs, wanted)])
    assert isinstance(response, InferenceResponse)
    return response


def refusal(shell: Shell, wanted: tuple[str, ...], inputs: dict[str, Values]) -> str:
    """The message to a caller whose request is at fault. No outputs come with it."""
    response = answer(shell, wanted, inputs)
    assert response.error is not None
    assert response.error.code == TritonError.INVALID_ARG, response.error.message
    assert response.output_tensors == []
    return response.error.message


def configured(**parameters: str) -> dict[str, str]:
    """What Triton hands to initialize()."""
    values = {name: {"string_value": value} for name, value in parameters.items()}
    return {"model_config": json.dumps({"parameters": values}), "model_instance_device_id": "0", "model_name": "tested"}
