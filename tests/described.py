"""Whether answers are as the OpenAPI documents describe them."""

from functools import cache
from typing import Any

import orjson
from jsonschema import Draft202012Validator

from mockserver.api.endpoint import Endpoint
from mockserver.server.assembly import ENDPOINTS
from mockserver.server.openapi import document
from mockserver.server.render import Response


def undescribed_members(endpoint: Endpoint, response: Response) -> list[str]:
    """Where an answer has other members than its operation describes, or lacks some."""
    validator = _validators(not endpoint.family.public).get((endpoint.operation, response.status))
    if validator is None:
        return []
    return [
        f"{endpoint.operation} {error.json_path}: {error.message[:300]}"
        for error in validator.iter_errors(orjson.loads(response.body))
    ]


@cache
def _validators(control: bool) -> dict[tuple[str, int], Draft202012Validator]:
    closed = _closed(document(ENDPOINTS, control))
    return {
        (operation["operationId"], int(status)): Draft202012Validator(
            {**response["content"]["application/json"]["schema"], "components": closed["components"]}
        )
        for path in closed["paths"].values()
        for operation in path.values()
        for status, response in operation["responses"].items()
        if "application/json" in response.get("content", ())
    }


def _closed(schema: Any) -> Any:
    """A schema whose objects have no members but those it names."""
    if isinstance(schema, list):
        return [_closed(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    closed = {name: _closed(member) for name, member in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        closed.setdefault("additionalProperties", False)
    return closed
