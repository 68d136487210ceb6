"""What serving/shell.py uses of Triton's triton_python_backend_utils, which exists inside of Triton only.

conftest.py puts it in that module's place, so that tests call a shell as Triton does: requests in, responses out.
"""

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

Values = npt.NDArray[Any]


class TritonError:
    """An error as a caller gets it: a message, and one of Triton's codes."""

    INTERNAL, INVALID_ARG, CANCELLED, UNSUPPORTED = "internal", "invalid argument", "cancelled", "unsupported"

    def __init__(self, message: str, code: str) -> None:
        self.message, self.code = message, code


@dataclass(frozen=True)
class Tensor:
    """An array with its name."""

    name: str
    values: Values

    def as_numpy(self) -> Values:
        """The array."""
        return self.values


@dataclass(frozen=True)
class Request:
    """Inputs by name, and the names of the outputs that are wanted."""

    inputs: dict[str, Values]
    wanted: tuple[str, ...]
    cancelled: bool = False
    sent: dict[str, Any] = field(default_factory=dict)

    def requested_output_names(self) -> list[str]:
        """The outputs to send."""
        return list(self.wanted)

    def is_cancelled(self) -> bool:
        """Whether the caller has gone."""
        return self.cancelled

    def parameters(self) -> str:
        """The request's own parameters, as JSON."""
        return json.dumps(self.sent) if self.sent else ""


@dataclass(frozen=True)
class InferenceResponse:
    """Outputs, or an error."""

    output_tensors: list[Tensor]
    error: TritonError | None = None


class Logger:
    """Keeps the lines that a model logs."""

    lines: ClassVar[list[str]] = []

    @classmethod
    def log_error(cls, line: str) -> None:
        """A fault of the model's own."""
        cls.lines.append(line)

    @classmethod
    def log_info(cls, line: str) -> None:
        """Anything else."""
        cls.lines.append(line)


def get_input_tensor_by_name(request: Request, name: str) -> Tensor | None:
    """None where the input was not sent."""
    values = request.inputs.get(name)
    return None if values is None else Tensor(name, np.asarray(values))
