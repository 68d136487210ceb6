"""Keeps schemathesis on this machine: an address that it made up becomes that of an upload of ours.

Otherwise the service would fetch what a generator thought of, from whoever owns that name.
Also a check of its own: a failure has one of the codes that the document tells for its status.
"""

import os

import schemathesis


@schemathesis.hook
def before_call(
    context: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict[str, object]
) -> None:
    if not isinstance(case.body, dict):
        return
    for name, value in case.body.items():
        if name.endswith("_url") and isinstance(value, str) and value.startswith("http"):
            case.body[name] = os.environ["OWN_UPLOAD"]


@schemathesis.check
def told_code(
    ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case
) -> None:
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
