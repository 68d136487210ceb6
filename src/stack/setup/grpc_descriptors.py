"""Writes Triton's gRPC descriptors, as tritonclient carries them, as one FileDescriptorSet.

usage: grpc_descriptors.py <folder of the unpacked tritonclient wheel> <file to write>
The generated modules hold each descriptor as a bytes literal: it is read, not imported, so protobuf is not needed.
"""

import ast
import sys
from pathlib import Path


def serialized_file(module: Path) -> bytes:
    """The serialised FileDescriptorProto of a generated module. Raises ValueError when there is not exactly one."""
    found = [
        node.args[0].value
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "AddSerializedFile"
        and isinstance(node.args[0], ast.Constant)
    ]
    if len(found) != 1 or not isinstance(found[0], bytes):
        raise ValueError(f"{module}: expected one serialised descriptor, found {len(found)}")
    return found[0]


def varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + varint(rest) if rest else bytes([low])


def file_descriptor_set(files: list[bytes]) -> bytes:
    """Field 1, length-delimited, once for each file; a file comes after those it imports."""
    return b"".join(b"\x0a" + varint(len(file)) + file for file in files)


if __name__ == "__main__":
    package = Path(sys.argv[1]) / "tritonclient" / "grpc"
    names = ["model_config_pb2.py", "service_pb2.py"]
    Path(sys.argv[2]).write_bytes(file_descriptor_set([serialized_file(package / name) for name in names]))
