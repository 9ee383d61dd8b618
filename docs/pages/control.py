"""The reference page of the control API."""

from collections.abc import Iterable, Iterator

from docs.pages.markdown import as_json, codes, page, table
from docs.pages.operations import by_tag
from docs.pages.shapes import Schema, choices, meaning, shape
from mockserver.api.endpoint import Endpoint
from mockserver.server.assembly import ENDPOINTS
from mockserver.server.openapi import document


def control_page() -> str:
    """Every operation of the control API with its parameters and errors."""
    paths = document(ENDPOINTS, True)
    lines = [
        "# The control API",
        "",
        "Everything under `/_mock/` controls the mock server itself and needs no key, but beyond loopback a",
        "[control token](../guides/control-api.md#access). `{p}` is the id of a project, or `-` for the",
        "project of the API key in `Authorization`. Lists answer `{data, total}`, with up to 100 entries",
        "unless `limit` is given; a DELETE answers `{deleted}`, a number. A body needs its content type.",
        "Errors are `application/problem+json` (RFC 9457). The OpenAPI document:",
        "`GET /_mock/openapi.json?api=control`.",
    ]
    controls = (endpoint for endpoint in ENDPOINTS if not endpoint.family.public)
    for tag, endpoints in by_tag(controls).items():
        lines += ["", f"## {tag}"]
        lines += _control_group(endpoints, paths)
    return page(lines)


def _control_group(endpoints: Iterable[Endpoint], described: Schema) -> Iterator[str]:
    for endpoint in endpoints:
        operation = described["paths"][endpoint.path][endpoint.method.lower()]
        yield from ("", f"### `{endpoint.method} {endpoint.path}`", "")
        if endpoint.handler is None:
            yield f"`{endpoint.operation}` is not implemented: it answers 501."
            continue
        yield f"`{endpoint.operation}`. {endpoint.summary}"
        members = [*_query_members(operation), *_body_members(operation, described)]
        if members:
            yield ""
            yield from table(("member", "in", "value", "default", "meaning"), members)
        if endpoint.reads:
            yield from ("", f"Takes a text: `{endpoint.reads}`.")
        if endpoint.errors:
            yield from ("", f"Errors: {codes(row.problem for row in endpoint.errors)}.")


def _query_members(operation: Schema) -> Iterator[tuple[str, ...]]:
    for parameter in operation.get("parameters", ()):
        if parameter.get("in") == "query":
            schema = {**parameter["schema"], "description": parameter.get("description", "")}
            yield _member(parameter["name"], "query", schema, {})


def _body_members(operation: Schema, described: Schema) -> Iterator[tuple[str, ...]]:
    content = operation.get("requestBody", {}).get("content", {})
    variants = choices(content.get("application/json", {}).get("schema", {}), described)
    members: dict[str, list[Schema]] = {}
    for variant in variants:
        for name, member in variant.get("properties", {}).items():
            members.setdefault(name, []).append({**member, "of": _outcome(variant)})
    for name, found in members.items():
        *row, text = _member(name, "body", {**found[0], "anyOf": found}, described)
        if len(found) < len(variants):
            text = f"{text} With {codes(member['of'] for member in found)}.".strip()
        yield *row, text


def _outcome(variant: Schema) -> str:
    """What a variant of a body is called: the value that tells it from the others."""
    named = variant.get("properties", {}).get("outcome", {})
    return str(named.get("const", ""))


def _member(name: str, place: str, schema: Schema, described: Schema) -> tuple[str, ...]:
    default = schema.get("default")
    shown = "" if default is None else f"`{as_json(default)}`"
    return f"`{name}`", place, shape(schema, described), shown, meaning(schema)
