"""A file with content credentials that say what was done to which input, by whom."""

import io
import json
import struct
import zlib
from pathlib import Path
from typing import Any

from c2pa import Builder, C2paError, C2paSignerInfo, Context, Signer

from .certificate import Identity, algorithm_of
from .error import ProvenanceError
from .read import read_stream, settings

OTHER_NAMES = {"video/vnd.avi": "video/avi", "audio/x-m4a": "audio/mp4"}
"""Media types that the library knows under another name."""


def sign(source: Path, target: Path, identity: Identity, edit: dict[str, Any]) -> dict[str, Any]:
    """Writes the file `source` with credentials to `target`, and tells what can be read there.

    edit: content_type of the file; `manifest`, the claim in the words of the library; `ingredients`, each with its label,
    path, content_type and `about`, what the claim says of it.
    Returns {"unsupported": content_type} for formats that hold no credentials, and writes nothing then. `unreadable`: labels
    of the ingredients whose own credentials are damaged beyond reading; they are named without them.
    Raises ProvenanceError where the library refuses to sign.
    """
    content_type = edit["content_type"]
    if content_type not in Builder.get_supported_mime_types():
        return {"unsupported": content_type}
    with open_context(identity) as context, Builder(json.dumps(edit["manifest"]), context) as builder:
        unreadable = [one["label"] for one in edit["ingredients"] if not added(builder, one)]
        with source.open("rb") as file, target.open("w+b") as signed:
            try:
                builder.sign(content_type, file, signed)
            except C2paError as error:
                raise ProvenanceError(f"the library refused to sign: {error}") from error
            signed.seek(0)
            told = read_back(content_type, signed)
    return {**told, "unreadable": unreadable}


def added(builder: Builder, one: dict[str, Any]) -> bool:
    """Adds the ingredient with the credentials that it carries; where they cannot be read, without them."""
    about = {"label": one["label"], **one["about"]}
    with Path(one["path"]).open("rb") as file:
        try:
            builder.add_ingredient(about, OTHER_NAMES.get(one["content_type"], one["content_type"]), file)
        except C2paError:
            builder.add_ingredient(about, "application/octet-stream", io.BytesIO())
            return False
    return True


def read_back(content_type: str, signed: Any) -> dict[str, Any]:
    told = read_stream(content_type, signed)
    if told["state"] == "invalid" or told["faults"]:
        sentences = "; ".join(f"{fault['code']}: {fault['detail']}" for fault in told["faults"])
        raise ProvenanceError(f"what was signed is not valid: {sentences or told['state']}")
    return told


EXPECTED = (
    "expected a certificate that may sign (key usage digitalSignature), for documents or e-mail (extended key usage), "
    "and that is not an authority's"
)


def check(identity: Identity) -> dict[str, Any]:
    """Signs one pixel: what is wrong with certificate and key shows here, before any job. Raises ProvenanceError."""
    edit = {"action": "c2pa.created", "digitalSourceType": "http://c2pa.org/digitalsourcetype/empty"}
    manifest = {"assertions": [{"label": "c2pa.actions", "data": {"actions": [edit]}}]}
    with open_context(identity) as context, Builder(json.dumps(manifest), context) as builder:
        signed = io.BytesIO()
        try:
            builder.sign("image/png", io.BytesIO(PIXEL), signed)
        except C2paError as error:
            raise ProvenanceError(f"{error}; {EXPECTED}") from error
    signed.seek(0)
    told = read_back("image/png", signed)
    return {"issuer": told["issuer"], "signer": told["signer"], "algorithm": told["algorithm"]}


def open_context(identity: Identity) -> Context:
    algorithm = algorithm_of(identity)
    info = C2paSignerInfo(algorithm, identity.certificate.encode(), identity.key.encode(), None)
    try:
        # What was signed is read back here, once.
        return Context(settings(verify={"verify_after_sign": False, "remote_manifest_fetch": False}), Signer.from_info(info))
    except C2paError as error:
        raise ProvenanceError(f"the certificate and its key are not accepted: {error}") from error


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PIXEL = (
    b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(b"\0\0"))
    + chunk(b"IEND", b"")
)
"""A PNG of one black pixel."""
