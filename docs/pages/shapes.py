"""JSON Schemas in a few words."""

from collections.abc import Mapping
from typing import Any

from docs.pages.markdown import as_json

Schema = Mapping[str, Any]


def shape(schema: Schema, described: Schema | None = None) -> str:
    """A JSON schema in a few words."""
    schema = resolved(schema, described or {})
    choices = schema.get("anyOf", schema.get("oneOf"))
    if choices:
        found = (shape(member, described) for member in choices if member != {"type": "null"})
        return " or ".join(dict.fromkeys(found))
    if "const" in schema:
        return f"`{as_json(schema['const'])}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    kind = schema.get("type", "anything")
    if isinstance(kind, list):
        kind = " or ".join(member for member in kind if member != "null")
    if kind == "array":
        return f"list of {shape(schema.get('items', {}), described)}"
    if schema.get("format") == "date-time":
        return "time (ISO 8601; UTC unless it says a zone)"
    if "pattern" in schema:
        return f"text like `{schema['pattern']}`"
    named = {"string": "text", "boolean": "true or false", "integer": "whole number"}
    return named.get(kind, str(kind)) + _bounds(schema)


def _bounds(schema: Schema) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    above = schema.get("exclusiveMinimum")
    words = "" if low is None else f" from {low}"
    if above is not None:
        words = f" above {above}"
    # Bounds that are there only because a machine's numbers end say nothing to a reader.
    return words if high is None or high >= 2**31 - 1 else f"{words} to {high}"


def meaning(schema: Schema) -> str:
    """What a member means, and that it is deprecated."""
    return str(schema.get("description", "")) + (" Deprecated." if schema.get("deprecated") else "")


def resolved(schema: Schema, described: Schema) -> Schema:
    """A schema, with its reference into a document followed."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    name = reference.rpartition("/")[2]
    found: Schema = described.get("components", {}).get("schemas", {}).get(name, {})
    return found


def choices(schema: Schema, described: Schema) -> list[Schema]:
    """A schema, or the ones it chooses from, with their references followed."""
    schema = resolved(schema, described)
    return [
        found
        for word in ("anyOf", "oneOf")
        for inner in schema.get(word, ())
        for found in choices(inner, described)
    ] or [schema]
