"""What the operations of the public API answer."""

from collections.abc import Iterator

from docs.pages.markdown import page, table
from docs.pages.operations import by_tag
from docs.pages.shapes import Schema, meaning, shape
from mockserver.api.endpoint import Endpoint
from mockserver.resources import GROUPS
from mockserver.server.assembly import ENDPOINTS
from mockserver.server.openapi import document

_SCHEMAS = "#/components/schemas/"


def answers_page() -> str:
    """The answer of each operation, then every object in them with its members."""
    described = document(ENDPOINTS, False)
    lines = [
        "# Answers",
        "",
        "What the operations answer when they succeed, and the members of each object. Operations with",
        "errors are in [operations](operations.md), the errors in [errors](errors.md). A member that is",
        "*always* there may be null where its value says so; the others are left out when they do not apply.",
        "`GET /_mock/openapi.json` is the OpenAPI document, with an example of each answer; `/_mock/docs`",
        "shows it as a page.",
    ]
    for tag, endpoints in by_tag(GROUPS).items():
        rows = [row for endpoint in endpoints for row in _answers(endpoint, described)]
        if rows:
            lines += ["", f"## {tag}", "", *table(("operation", "call", "status", "answer"), rows)]
    lines += ["", "## Objects"]
    for name in sorted(_shown(described)):
        lines += _object(name, described)
    return page(lines)


def _answers(endpoint: Endpoint, described: Schema) -> Iterator[tuple[str, ...]]:
    responses = described["paths"][endpoint.path][endpoint.method.lower()]["responses"]
    for status, response in responses.items():
        if status >= "400":
            continue
        content = response.get("content", {}).get("application/json")
        answer = "a redirect" if status == "302" else "no body"
        if content is not None:
            answer = _value(content["schema"], described)
        yield f"`{endpoint.operation}`", f"`{endpoint.method} {endpoint.path}`", status, answer


def _object(name: str, described: Schema) -> list[str]:
    schema = described["components"]["schemas"][name]
    required = schema.get("required", ())
    rows = [
        (
            f"`{member}`",
            _value(inside, described),
            "always" if member in required else "",
            meaning(inside),
        )
        for member, inside in schema["properties"].items()
    ]
    text = str(schema.get("description", ""))
    return ["", f"### {name}", "", text, "", *table(("member", "value", "there", "meaning"), rows)]


def _value(schema: Schema, described: Schema) -> str:
    """A schema in a few words; objects are links to their members."""
    reference = schema.get("$ref")
    if reference is not None:
        name = reference.removeprefix(_SCHEMAS)
        if "properties" in described["components"]["schemas"][name]:
            return f"[{name}](#{name.lower()})"
    if "anyOf" in schema or "oneOf" in schema:
        words = (_value(each, described) for each in (*schema.get("anyOf", ()), *schema.get("oneOf", ())))
        return " or ".join(dict.fromkeys(words))
    if schema.get("type") == "array":
        return f"list of {_value(schema.get('items', {}), described)}"
    return shape(schema, described)


def _shown(described: Schema) -> set[str]:
    """The names of the objects in answers and in each other."""
    found: set[str] = set()
    waiting = [
        response
        for path in described["paths"].values()
        for operation in path.values()
        for status, response in operation["responses"].items()
        if status < "400"
    ]
    while waiting:
        for name in _references(waiting.pop()):
            schema = described["components"]["schemas"][name]
            if name not in found and "properties" in schema:
                found.add(name)
                waiting.append(schema)
    return found


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        reference = value.get("$ref")
        if isinstance(reference, str) and reference.startswith(_SCHEMAS):
            yield reference.removeprefix(_SCHEMAS)
        for inside in value.values():
            yield from _references(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from _references(inside)
