"""JSON Schemas of bodies and queries, as pydantic makes them."""

from collections.abc import Sequence
from typing import Any

from pydantic import TypeAdapter

from mockserver.api.endpoint import Endpoint
from mockserver.api.wire import adapter
from mockserver.server.openapi.components import REF, Schema


class RequestSchemas:
    """The schemas of what endpoints take, made together so that equal names are told apart."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        shapes = {shape for endpoint in endpoints for shape in (endpoint.body, endpoint.query) if shape}
        ordered = sorted(shapes, key=lambda shape: (getattr(shape, "__module__", ""), str(shape)))
        made, whole = TypeAdapter.json_schemas(
            [(shape, "validation", adapter(shape)) for shape in ordered], ref_template=REF + "{model}"
        )
        self._made: dict[Any, Schema] = {shape: schema for (shape, _), schema in made.items()}
        self._all: Schema = whole.get("$defs", {})
        # A query is spelled out as parameters, so that nothing refers to it as a whole.
        queries = {_name(self._made[endpoint.query]) for endpoint in endpoints if endpoint.query}
        self.definitions: Schema = {name: schema for name, schema in self._all.items() if name not in queries}

    def body(self, shape: Any) -> Schema:
        """The schema of a body."""
        return self._made[shape]

    def parameters(self, shape: Any) -> list[Schema]:
        """The fields of a query as parameters."""
        made = self._made[shape]
        schema = self._all.get(_name(made), made)
        required = schema.get("required", ())
        return [
            {"name": name, "in": "query", "required": name in required, "schema": member}
            for name, member in schema.get("properties", {}).items()
        ]


def _name(schema: Schema) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]
