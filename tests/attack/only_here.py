"""Keeps schemathesis on this machine: an address that it made up becomes that of an upload of ours.

Otherwise the service would fetch what a generator thought of, from whoever owns that name.
Also two checks of its own: a failure has one of the codes that the document tells for its status; and what breaks the
document is refused, unless it is a spelling that is taken on purpose (spellings.py).
"""

import os

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import _sent_form_fields, negative_data_rejection

from tests.attack.spellings import Spelling


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict[str, object]) -> None:
    if not isinstance(case.body, dict):
        return
    for name, value in case.body.items():
        if name.endswith("_url") and isinstance(value, str) and value.startswith("http"):
            case.body[name] = os.environ["OWN_UPLOAD"]


@schemathesis.check
def told_code(ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """The codes of a status are the names of its examples."""
    if "application/problem+json" not in response.headers.get("content-type", [""])[0]:
        return
    document = case.operation.schema.raw_schema
    method = document["paths"][case.path].get(case.method.lower(), {"responses": {}})
    told = method["responses"].get(str(response.status_code))
    if told is None:
        return  # A method or status that the document does not have is for other checks.
    if "$ref" in told:
        told = document["components"]["responses"][told["$ref"].rsplit("/", 1)[-1]]
    codes = told["content"]["application/problem+json"]["examples"]
    code = response.json()["code"]
    assert code in codes, f"{code} is none of the codes under {response.status_code}: {[*codes]}"


@schemathesis.check
def refused_or_tolerated(ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case) -> None:
    """negative_data_rejection, but for a request whose body alone is wrong, and valid in a spelling that is tolerated."""
    try:
        negative_data_rejection(ctx, response, case)
    except AcceptedNegativeData:
        others = [part for place, part in case.meta.components.items() if place != ParameterLocation.BODY]
        if any(part.mode.is_negative for part in others) or not is_tolerated(response, case):
            raise


def is_tolerated(response: schemathesis.Response, case: schemathesis.Case) -> bool:
    body = case.operation.get_body_for_media_type("multipart/form-data")
    # Only what takes files is taken in several spellings.
    if body is None or not isinstance(case.body, dict):
        return False
    is_text = case.media_type == "multipart/form-data"
    sent = form_as_sent(response, case) if is_text else case.body
    schema = case.operation.get_body_for_media_type(case.media_type).optimized_schema
    return Spelling(schema, case.operation.schema.adapter.jsonschema_validator_cls).is_valid(sent, is_text=is_text)


def form_as_sent(response: schemathesis.Response, case: schemathesis.Case) -> dict[str, object]:
    """Its text parts, and "" for each file: its content is not what a schema tells of it. A repeated part is a list."""
    parts = _sent_form_fields(response, case.media_type) or {}
    texts = {name: ["" if text is None else text for text in values] for name, values in parts.items()}
    return {name: values[0] if len(values) == 1 else values for name, values in texts.items()}
