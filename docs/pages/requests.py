"""What the operations of the public API take."""

from collections.abc import Iterator

from docs.pages.markdown import as_json, member, page, table
from docs.pages.operations import by_tag
from docs.pages.shapes import Schema, choices, meaning, shape
from mockserver.api.endpoint import Endpoint
from mockserver.resources import GROUPS
from mockserver.server.assembly import ENDPOINTS
from mockserver.server.openapi import document


def requests_page() -> str:
    """What the bodies and queries of the public API have."""
    described = document(ENDPOINTS, False)
    lines = [
        "# Requests",
        "",
        "The members of the query and of the body of each operation. `calls[].to` is the member `to` of each",
        "entry of `calls`. Members in bold are required within their object. Unknown members are ignored.",
        "`GET /_mock/openapi.json` is the OpenAPI document, with the answers.",
    ]
    for tag, endpoints in by_tag(GROUPS).items():
        sections = [line for endpoint in endpoints for line in _request(endpoint, described)]
        if sections:
            lines += ["", f"## {tag}", *sections]
    return page(lines)


def _request(endpoint: Endpoint, described: Schema) -> list[str]:
    operation = described["paths"][endpoint.path][endpoint.method.lower()]
    rows = [
        (
            member(parameter["name"], parameter.get("required", False)),
            "query",
            *_said(parameter, described),
        )
        for parameter in operation.get("parameters", ())
        if parameter.get("in") == "query"
    ]
    content = operation.get("requestBody", {}).get("content", {})
    body: Schema = next(iter(content.values()), {})
    members = dict(_members(body.get("schema", {}), described))
    rows += [
        (member(path, needed), "body", value, meaning) for path, (needed, value, meaning) in members.items()
    ]
    if not rows or endpoint.handler is None:
        return []
    return [
        "",
        f"### `{endpoint.method} {endpoint.path}`",
        "",
        f"`{endpoint.operation}`. {endpoint.summary}",
        "",
        *table(("member", "in", "value", "meaning"), rows),
    ]


def _said(parameter: Schema, described: Schema) -> tuple[str, str]:
    return _usual(parameter["schema"], described), str(parameter.get("description", ""))


def _usual(schema: Schema, described: Schema) -> str:
    """A shape, and what a member is when it is left out."""
    default = schema.get("default")
    text = shape(schema, described)
    return text if default is None else f"{text}; `{as_json(default)}` when left out"


def _members(
    schema: Schema, described: Schema, prefix: str = ""
) -> Iterator[tuple[str, tuple[bool, str, str]]]:
    """The members of an object and of what is in it, by path: whether needed, the value, the meaning."""
    for variant in choices(schema, described):
        for name, inside in variant.get("properties", {}).items():
            path = f"{prefix}{name}"
            yield path, (name in variant.get("required", ()), _usual(inside, described), meaning(inside))
            for inner in choices(inside, described):
                below, suffix = (
                    (inner.get("items", {}), "[].") if inner.get("type") == "array" else (inner, ".")
                )
                yield from _members(below, described, path + suffix)
