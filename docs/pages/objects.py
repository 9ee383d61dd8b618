"""The objects in the answers of the public API."""

from collections.abc import Iterator

from docs.pages.markdown import page, table
from docs.pages.members import SCHEMAS, Found, answer_row
from docs.pages.shapes import Schema
from mockserver.server.assembly import ENDPOINTS
from mockserver.server.openapi import document


def objects_page() -> str:
    """Every object in the answers, with its members."""
    described = document(ENDPOINTS, False)
    lines = [
        "# Objects",
        "",
        "The objects in the answers of the [operations](operations.md), and their members. A member that is",
        "there *when it applies* is left out when it does not. The OpenAPI document has the same:",
        "`GET /_mock/openapi.json`.",
    ]
    for name in sorted(_shown(described)):
        lines += _object(name, described)
    return page(lines)


def _object(name: str, described: Schema) -> list[str]:
    schema = described["components"]["schemas"][name]
    required = schema.get("required", ())
    rows = (
        answer_row(Found(member, inside, member in required), described)
        for member, inside in schema["properties"].items()
    )
    text = str(schema.get("description", ""))
    return ["", f"## {name}", "", text, "", *table(("member", "value", "there", "meaning"), rows)]


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
        if isinstance(reference, str) and reference.startswith(SCHEMAS):
            yield reference.removeprefix(SCHEMAS)
        for inside in value.values():
            yield from _references(inside)
    elif isinstance(value, list):
        for inside in value:
            yield from _references(inside)
