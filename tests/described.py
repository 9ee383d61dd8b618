"""Whether answers are as the OpenAPI documents describe them: their status, content type and members."""

import json
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

from jsonschema_rs import Draft202012Validator, Registry

from mockserver.api.endpoint import RPC_METHOD, Endpoint
from mockserver.server.answering.render import Response
from mockserver.server.assembly import ENDPOINTS, ROUTES
from mockserver.server.openapi import document

HEADERS = frozenset({"x-request-id", "x-mockserver-rule", "x-mockserver-hint", "location", "retry-after"})
"""The headers that an answer may have only where the document says so."""


COMPONENTS = "urn:document"


def undescribed(endpoint: Endpoint, response: Response) -> list[str]:
    """Where an answer is not as its operation describes it."""
    operation = endpoint.operation
    # An operation that a test made for itself, or a method of JSON-RPC, which OpenAPI cannot describe.
    if ROUTES.by_operation.get(operation) is not endpoint or endpoint.method == RPC_METHOD:
        return []
    described = _responses(not endpoint.family.public).get((operation, response.status))
    if described is None:
        return [f"{operation} answers {response.status}, which is not described"]
    headers = {name.decode(): value.decode() for name, value in response.headers}
    found = [
        f"{operation} {response.status}: the header {name} is not described"
        for name in HEADERS & headers.keys()
        if name not in described["headers"]
    ]
    if response.body:
        media_type = headers.get("content-type", "").partition(";")[0]
        if media_type not in described["content"]:
            return [*found, f"{operation} {response.status}: {media_type} is not described"]
        found += _undescribed_members(operation, described["content"].get(media_type), response.body)
    return found


def _undescribed_members(
    operation: str, validator: Callable[[], Draft202012Validator] | None, body: bytes
) -> Iterator[str]:
    """Where JSON has other members than described, or lacks some; other content has no validator."""
    if validator is not None:
        for error in validator().iter_errors(json.loads(body)):
            yield f"{operation} {'/'.join(map(str, error.instance_path))}: {error.message[:300]}"


@cache
def _responses(control: bool) -> dict[tuple[str, int], dict[str, Any]]:
    """The headers and the validators by content type of every response."""
    closed = _elsewhere(close(document(ENDPOINTS, control)))
    shared = closed["components"]["responses"]
    registry = Registry([(COMPONENTS, {"components": closed["components"]})])
    return {
        (operation["operationId"], int(status)): _response(
            shared[response["$ref"].rpartition("/")[2]] if "$ref" in response else response,
            registry,
        )
        for path in closed["paths"].values()
        for operation in path.values()
        for status, response in operation["responses"].items()
    }


def _response(response: dict[str, Any], registry: Registry) -> dict[str, Any]:
    validators = {
        # Made when an answer is looked at: most tests see few operations.
        media_type: cache(partial(Draft202012Validator, content["schema"], registry=registry))
        if media_type.endswith("json")
        else None
        for media_type, content in response.get("content", {}).items()
    }
    return {"headers": response.get("headers", {}), "content": validators}


def _elsewhere(schema: Any) -> Any:
    """A schema of the document, which refers to others by where the document is."""
    if isinstance(schema, list):
        return [_elsewhere(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        name: f"{COMPONENTS}{member}" if name == "$ref" else _elsewhere(member)
        for name, member in schema.items()
    }


def close(schema: Any) -> Any:
    """A schema whose objects have no members but those it names."""
    if isinstance(schema, list):
        return [close(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: close(member) for name, member in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        closed.setdefault("additionalProperties", False)
    return closed
