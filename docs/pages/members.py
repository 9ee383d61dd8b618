"""The members of requests and answers, as rows of tables."""

from collections.abc import Iterator
from typing import NamedTuple

from docs.pages.markdown import as_json
from docs.pages.shapes import Schema, choices, meaning, resolved, shape
from mockserver.api.endpoint import Endpoint

SCHEMAS = "#/components/schemas/"
_NULL = {"type": "null"}
_SHOWN_WITHIN = 1
"""How deep an answer is shown on its own page; what is deeper is a link to the object."""


class Found(NamedTuple):
    """A member of an object."""

    path: str
    schema: Schema
    needed: bool


def operation_of(endpoint: Endpoint, described: Schema) -> Schema:
    """What the OpenAPI document says of an endpoint."""
    found: Schema = described["paths"][endpoint.path][endpoint.method.lower()]
    return found


def request_rows(endpoint: Endpoint, described: Schema) -> list[tuple[str, ...]]:
    """The members of path, query and body: name, place, value, when it is there, meaning."""
    operation = operation_of(endpoint, described)
    rows = []
    for parameter in operation.get("parameters", ()):
        parameter = {**_referenced(parameter, described)}
        found = Found(parameter["name"], parameter["schema"], parameter.get("required", False))
        rows.append(_request_row(found, parameter["in"], str(parameter.get("description", "")), described))
    content = operation.get("requestBody", {}).get("content", {})
    body: Schema = next((each["schema"] for each in content.values()), {})
    members = {found.path: found for found in _members(body, described)}
    rows += [_request_row(each, "body", meaning(each.schema), described) for each in members.values()]
    return rows


def answer_rows(schema: Schema, described: Schema) -> list[tuple[str, ...]]:
    """The members of an answer: name, value, when it is there, meaning."""
    found = {each.path: each for each in _members(schema, described, deepest=_SHOWN_WITHIN)}
    return [answer_row(each, described, "../objects.md") for each in found.values()]


def answer_row(found: Found, described: Schema, objects: str = "") -> tuple[str, ...]:
    """One member of an answer; `objects` is the page of the objects."""
    value = value_of(found.schema, described, objects)
    there = "always" if found.needed else "when it applies"
    if _NULL in (*found.schema.get("anyOf", ()), found.schema):
        there += "; may be null"
    return f"`{found.path}`", value, there, meaning(found.schema)


def value_of(schema: Schema, described: Schema, objects: str = "") -> str:
    """A schema in a few words; objects are links to their members."""
    reference = schema.get("$ref")
    if reference is not None:
        name = reference.removeprefix(SCHEMAS)
        if "properties" in described["components"]["schemas"][name]:
            return f"[{name}]({objects}#{name.lower()})"
    among = [each for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())) if each != _NULL]
    if among:
        return " or ".join(dict.fromkeys(value_of(each, described, objects) for each in among))
    if schema.get("type") == "array":
        return f"list of {value_of(schema.get('items', {}), described, objects)}"
    return shape(schema, described)


def _request_row(found: Found, place: str, text: str, described: Schema) -> tuple[str, ...]:
    there = "required" if found.needed else "optional"
    default = found.schema.get("default")
    if default is not None:
        there = f"optional; `{as_json(default)}` when left out"
    return f"`{found.path}`", place, shape(found.schema, described), there, text


def _referenced(schema: Schema, described: Schema) -> Schema:
    """A parameter, with its reference followed."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    found: Schema = described["components"]["parameters"][reference.rpartition("/")[2]]
    return found


def _members(
    schema: Schema, described: Schema, prefix: str = "", deepest: int | None = None
) -> Iterator[Found]:
    """The members of an object and of what is in it, by path: an entry of a list is `[]`."""
    for variant in choices(schema, described):
        if variant.get("type") == "array":
            yield from _members(variant.get("items", {}), described, f"{prefix}[]", deepest)
        for name, inside in variant.get("properties", {}).items():
            path = f"{prefix}.{name}".lstrip(".")
            yield Found(path, inside, name in variant.get("required", ()))
            # The entries of a page are what the answer is about.
            below = None if deepest is None else deepest - (name != "data")
            if below is None or below >= 0:
                yield from _members(resolved(inside, described), described, path, below)
