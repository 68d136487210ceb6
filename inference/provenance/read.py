"""What content credentials a file carries, and whether they are still true of it."""

from pathlib import Path
from typing import Any, BinaryIO

from c2pa import C2paError, Context, Reader, Settings


def settings(**more: dict[str, Any]) -> Settings:
    """For every use of the library: nothing is fetched, whatever a file names, and no picture is made smaller and kept."""
    fetch_nothing = {"remote_manifest_fetch": False, "ocsp_fetch": False}
    no_thumbnail = {"thumbnail": {"enabled": False}}
    return Settings.from_dict({"version": 1, "verify": fetch_nothing, "builder": no_thumbnail, **more})


def read(path: Path, anchors: str) -> dict[str, Any]:
    """anchors: PEM certificates of the issuers that are trusted; may be empty.

    Returns `state`: "unsupported" (a format that holds none), "none" (carries none), "unreadable", "invalid" (the file or its
    credentials were changed after signing), "valid" (unchanged, signed by someone who is not among the trusted) or "trusted";
    and of the last three what they say.
    """
    with path.open("rb") as file:
        try:
            return read_stream(None, file, anchors)
        except C2paError.ManifestNotFound:
            return {"state": "none", "faults": []}
        except C2paError.NotSupported:
            return {"state": "unsupported", "faults": []}
        except C2paError as error:
            return {"state": "unreadable", "faults": [{"code": "unreadable", "detail": str(error)}]}


def read_stream(content_type: str | None, file: BinaryIO, anchors: str = "") -> dict[str, Any]:
    trust = {"user_anchors": anchors} if anchors else {}
    with Context(settings(trust=trust)) as context, Reader(content_type, file, context=context) as reader:
        manifest = reader.get_active_manifest() or {}
        results = (reader.get_validation_results() or {}).get("activeManifest", {})
        state = (reader.get_validation_state() or "Invalid").lower()
    signature = manifest.get("signature_info", {})
    faults = [{"code": one["code"], "detail": one.get("explanation", "")} for one in failures(results)]
    return {
        "state": state,
        "faults": faults,
        "manifest": manifest.get("label", ""),
        "issuer": signature.get("issuer", ""),
        "signer": signature.get("common_name", ""),
        "algorithm": signature.get("alg", "").lower(),
        "generator": " ".join(generator(manifest)),
        "actions": [told_action(action) for action in actions_of(manifest)],
        "ingredients": [told_ingredient(one) for one in manifest.get("ingredients", [])],
    }


def failures(results: dict[str, Any]) -> list[dict[str, Any]]:
    """What is wrong with the credentials; whom a reader trusts is no fault of theirs, and `state` tells it."""
    return [one for one in results.get("failure", []) if one["code"] != "signingCredential.untrusted"]


def generator(manifest: dict[str, Any]) -> list[str]:
    first = (manifest.get("claim_generator_info") or [{}])[0]
    return [first[part] for part in ("name", "version") if part in first]


def actions_of(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """Of both versions of the assertion, which are labelled c2pa.actions and c2pa.actions.v2."""
    found = [one["data"] for one in manifest.get("assertions", []) if one["label"].startswith("c2pa.actions")]
    return [action for data in found for action in data.get("actions", [])]


def told_action(action: dict[str, Any]) -> dict[str, Any]:
    agent = action.get("softwareAgent", "")
    parts = [agent] if isinstance(agent, str) else [agent.get("name", ""), agent.get("version", "")]
    return {
        "action": action["action"],
        "description": action.get("description", ""),
        "digital_source_type": action.get("digitalSourceType", ""),
        "agent": " ".join(part for part in parts if part),
    }


def told_ingredient(one: dict[str, Any]) -> dict[str, Any]:
    """`credentials`: whether the ingredient had some of its own, and what was found wrong with them when it was taken."""
    broken = failures(one.get("validation_results", {}).get("activeManifest", {}))
    own = "active_manifest" in one
    return {
        "title": one.get("title", ""),
        "relationship": one.get("relationship", ""),
        "content_type": one.get("format", ""),
        "credentials": ("invalid" if broken else "valid") if own else "none",
    }
