"""Whether a body that breaks its schema is valid in a spelling that is taken on purpose.

The rules are those of src/http/body/canonical.ts, read from the JSON schema: null for a field that cannot be null is left
out, and so is an empty text part of a form for a field that cannot be empty; text stands for a number, true or false;
format names come in any case; the text parts of a form may be JSON.
"""

import json
import re
import sys
from collections.abc import Mapping
from typing import Any

import schemathesis
from schemathesis.core.jsonschema import BUNDLE_STORAGE_KEY, make_validator

Schema = Mapping[str, Any]

FORMATS = {"png", "jpeg", "webp", "avif", "mp4"}
NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?")


def main() -> None:
    """Prints for each [path, media type, fields] of standard input whether it is valid in one of the spellings."""
    document = schemathesis.openapi.from_url(sys.argv[1])
    told = []
    for path, media_type, fields in json.load(sys.stdin):
        operation = document[path]["POST"]
        schema = operation.get_body_for_media_type(media_type).optimized_schema
        spelling = Spelling(schema, document.adapter.jsonschema_validator_cls)
        told.append(spelling.is_valid(fields, is_text=media_type == "multipart/form-data"))
    print(json.dumps(told))


class Spelling:
    """Reads bodies by one schema, whose named parts lie in its bundle."""

    def __init__(self, schema: Schema, validator: type) -> None:
        self.schema = schema
        self.validator = validator

    def is_valid(self, body: Mapping[str, Any], *, is_text: bool) -> bool:
        return self._accepts(self._fields(body, self.schema, is_text), self.schema)

    def _accepts(self, value: object, schema: Schema) -> bool:
        bundle = {BUNDLE_STORAGE_KEY: self.schema.get(BUNDLE_STORAGE_KEY, {})}
        return make_validator({**schema, **bundle}, self.validator).is_valid(value)

    def _fields(self, sent: Mapping[str, Any], schema: Schema, is_text: bool = False) -> dict[str, Any]:
        known = self._properties(schema)
        if is_text:
            sent = {name: text for name, text in sent.items() if text != "" or self._accepts("", known.get(name, {}))}
        read = {name: self._value(value, known[name], is_text) if name in known else value for name, value in sent.items()}
        return {
            name: value
            for name, value in read.items()
            if value is not None or name not in known or self._accepts(None, known[name])
        }

    def _value(self, sent: object, schema: Schema, is_text: bool = False) -> object:
        schema = self._resolved(schema)
        if isinstance(sent, str):
            if is_text and not self._accepts(sent, schema):
                return self._value(as_json(sent), schema)
            return from_text(sent, schema)
        if isinstance(sent, list):
            first = schema.get("prefixItems", [])
            return [self._value(one, [*first, schema.get("items") or {}][min(at, len(first))]) for at, one in enumerate(sent)]
        if isinstance(sent, dict):
            forms = [self._resolved(form) for form in schema.get("anyOf", schema.get("oneOf", [schema]))]
            form = next((form for form in forms if sent.keys() <= self._properties(form).keys()), None)
            return self._fields(sent, form) if form else sent
        return sent

    def _properties(self, schema: Schema) -> dict[str, Schema]:
        parts = [self._resolved(part) for part in self._resolved(schema).get("allOf", [schema])]
        return {name: field for part in parts for name, field in part.get("properties", {}).items()}

    def _resolved(self, schema: Schema) -> Schema:
        """The schema that a reference leads to; of one that is nullable the other form."""
        if "$ref" in schema:
            return self._resolved(self.schema[BUNDLE_STORAGE_KEY][schema["$ref"].rsplit("/", 1)[-1]])
        others = [form for form in schema.get("anyOf", []) if form.get("type") != "null"]
        return self._resolved(others[0]) if len(others) == 1 else schema


def as_json(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return text


def from_text(text: str, schema: Schema) -> object:
    names = schema.get("enum", [schema.get("const")])
    if all(name in FORMATS for name in names):
        return "jpeg" if text.lower() == "jpg" else text.lower()
    if schema.get("type") == "boolean" and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if schema.get("type") in ("number", "integer") and NUMBER.fullmatch(text):
        return json.loads(text)
    return text


if __name__ == "__main__":
    main()
