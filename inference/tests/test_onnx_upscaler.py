"""Networks of anyone's: what is measured of them, what they make at each scale, and which are refused."""

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from enhance.engine import Engine, choose_engine
from enhance.upscale.network import BadNetworkError, Network, open_network
from enhance.upscale.onnx_upscaler import open_onnx_upscaler, recipes_of
from tests.networks import Made

FLOAT, BYTES = TensorProto.FLOAT, TensorProto.UINT8


@pytest.fixture(scope="module")
def engine() -> Engine:
    return choose_engine({"ENHANCE_ENGINE": "openvino", "ENHANCE_THREADS": "1"})


def opened(engine: Engine, path: Path) -> Network:
    return open_network(path, engine)


@pytest.mark.parametrize("factor", [2, 3, 4])
def test_the_factor_is_found(engine: Engine, tmp_path: Path, factor: int) -> None:
    found = opened(engine, Made().times(factor).save(tmp_path / "n.onnx"))
    assert (found.factor, found.eats, found.multiple, found.context, found.ranges) == (factor, 0, 1, 8, (1, 1))


def test_pixels_that_a_network_loses_at_its_edges_are_counted(engine: Engine, tmp_path: Path) -> None:
    found = opened(engine, Made().valid_mean(11).times(2).save(tmp_path / "n.onnx"))
    assert (found.eats, found.context) == (5, 8)


def test_how_far_a_network_looks_is_measured(engine: Engine, tmp_path: Path) -> None:
    far = Made().valid_mean(25).valid_mean(21).times(2).save(tmp_path / "far.onnx")
    assert opened(engine, far).context == 24
    whole = Made().times(2)
    enlarged, mean = whole.last, whole.then("GlobalAveragePool").last
    whole.last = enlarged
    assert opened(engine, whole.then("Add", mean).scaled(0.5).save(tmp_path / "whole.onnx")).context is None


def test_sides_are_padded_to_what_a_network_needs(engine: Engine, tmp_path: Path) -> None:
    made = Made().then("SpaceToDepth", blocksize=4).then("DepthToSpace", blocksize=4).times(2)
    network = opened(engine, made.save(tmp_path / "n.onnx"))
    assert network.multiple == 4
    planes = np.random.default_rng(1).random((3, 9, 14)).astype(np.float32)
    assert np.abs(network.run(planes) - planes.repeat(2, 1).repeat(2, 2)).max() < 0.01


@pytest.mark.parametrize(
    ("made", "kinds", "ranges"),
    [
        (Made().then("Clip", *(2 * [""])).times(2), (FLOAT, FLOAT), (1, 1)),
        (Made().scaled(255).times(2), (FLOAT, FLOAT), (1, 255)),
        (Made().times(2).cast(FLOAT), (BYTES, FLOAT), (255, 255)),
        (Made().cast(FLOAT).scaled(1 / 255).times(2), (BYTES, FLOAT), (255, 1)),
        (Made().times(2), (BYTES, BYTES), (255, 255)),
        (Made().scaled(255).times(2).cast(BYTES), (FLOAT, BYTES), (1, 255)),
    ],
)
def test_whether_white_is_1_or_255_is_measured(
    engine: Engine, tmp_path: Path, made: Made, kinds: tuple[int, int], ranges: tuple[int, int]
) -> None:
    network = opened(engine, made.save(tmp_path / "n.onnx", kinds))
    assert network.ranges == ranges
    planes = (np.arange(3 * 8 * 8, dtype=np.float32) / 255).reshape(3, 8, 8)
    assert np.abs(network.run(planes) - planes.repeat(2, 1).repeat(2, 2)).max() < 0.01


def test_white_is_255_where_a_network_darkens_small_numbers(engine: Engine, tmp_path: Path) -> None:
    # Of 0..1 it makes nearly nothing; grey of 0..255 stays.
    made = Made().then("Floor").times(2)
    assert opened(engine, made.save(tmp_path / "n.onnx")).ranges == (255, 255)


@pytest.mark.parametrize("factor", [2, 3, 4])
@pytest.mark.parametrize("scale", [2, 4, 8])
def test_every_scale_is_made_of_every_factor(engine: Engine, tmp_path: Path, factor: int, scale: int) -> None:
    upscaler = open_onnx_upscaler("test", Made().times(factor).save(tmp_path / "n.onnx"), engine)
    picture = np.zeros((21, 30, 4), np.uint8)
    picture[:, 15:, 0], picture[..., 1], picture[5:, :, 3] = 200, 90, 255
    large = upscaler.run(picture, scale)
    assert large.shape == (21 * scale, 30 * scale, 4)
    small = large.reshape(21, scale, 30, scale, 4).mean(axis=(1, 3))
    inner = np.s_[9:-4, [4, 8, 20, 26], :3]
    assert np.abs(small[inner] - picture[inner]).max() < 2


@pytest.mark.parametrize("scale", [2, 4, 8])
def test_a_network_that_looks_at_all_of_a_tile_makes_the_same_picture(engine: Engine, tmp_path: Path, scale: int) -> None:
    network = opened(engine, Made().times(2).save(tmp_path / "n.onnx"))
    unbounded = Network(**{**vars(network), "context": None})
    picture = np.random.default_rng(3).integers(0, 256, (24, 230, 3)).astype(np.uint8)
    large = [recipes_of(one)[scale].upscale(picture, lambda: None).astype(int) for one in (network, unbounded)]
    assert np.abs(large[0] - large[1])[8 * scale : -8 * scale, 8 * scale : -8 * scale].max() <= 2


@pytest.mark.parametrize(
    ("made", "kinds", "message"),
    [
        (Made().scaled(1), (FLOAT, FLOAT), "expected an output 2, 3 or 4 times its input; a picture of "),
        (Made().times(5), (FLOAT, FLOAT), "expected an output 2, 3 or 4 times its input; a picture of "),
        (Made().scaled(0.5).times(2), (FLOAT, FLOAT), "expected flat greys of [0.25, 0.5, 0.75] to stay so, within 0.04"),
        (Made().scaled(0).times(2), (FLOAT, FLOAT), "expected flat greys of [0.25, 0.5, 0.75] to stay so, within 0.04"),
        (
            Made().cast(TensorProto.INT32).times(2),
            (TensorProto.INT64, TensorProto.INT32),
            "expected an input of float or uint8",
        ),
    ],
)
def test_a_network_that_does_something_else_is_refused(
    engine: Engine, tmp_path: Path, made: Made, kinds: tuple[int, int], message: str
) -> None:
    with pytest.raises(BadNetworkError) as refused:
        opened(engine, made.save(tmp_path / "n.onnx", kinds))
    assert str(refused.value).startswith(message), refused.value


def test_a_network_of_fixed_size_is_refused_with_what_to_do(engine: Engine, tmp_path: Path) -> None:
    path = Made().times(2).save(tmp_path / "n.onnx", sides=(64, 64))
    with pytest.raises(BadNetworkError, match="free height and width, got \\[1, 3, 64, 64\\]: export it with dynamic axes"):
        opened(engine, path)


def test_a_file_that_is_no_onnx_is_refused(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "n.onnx").write_bytes(b"nothing of the kind")
    with pytest.raises(BadNetworkError, match="expected an ONNX file"):
        opened(engine, tmp_path / "n.onnx")


def test_nan_is_never_a_picture(engine: Engine, tmp_path: Path) -> None:
    made = Made().then("Log").then("Exp").times(2)  # the same again, but for what is below 0
    network = opened(engine, made.save(tmp_path / "n.onnx"))
    with pytest.raises(RuntimeError, match="the network gave NaN or infinity"):
        network.run(np.full((3, 8, 8), -1, np.float32))
    with pytest.raises(RuntimeError, match="the network gave NaN or infinity"):
        opened(engine, Made().scaled(float("nan")).times(2).save(tmp_path / "nan.onnx"))
