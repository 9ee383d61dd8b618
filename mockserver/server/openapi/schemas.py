"""JSON Schemas of what endpoints take and answer, as pydantic makes them."""

from collections.abc import Iterable, Mapping, Sequence
from types import GenericAlias
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode

from mockserver.api.endpoint import Endpoint
from mockserver.server.envelopes import ENVELOPES, Problem
from mockserver.server.openapi.components import Schema

_REF = "#/components/schemas/"


class Schemas:
    """The schemas of bodies, queries and answers, made together so that equal names are told apart."""

    def __init__(self, endpoints: Sequence[Endpoint]) -> None:
        queries = _distinct(endpoint.query for endpoint in endpoints)
        shapes: Mapping[JsonSchemaMode, list[Any]] = {
            "validation": _distinct([*(endpoint.body for endpoint in endpoints), *queries]),
            "serialization": _distinct(
                shape
                for endpoint in endpoints
                for shape in (endpoint.answer, ENVELOPES[endpoint.family.envelope], Problem)
            ),
        }
        made, whole = TypeAdapter.json_schemas(
            [("all", mode, _adapter(found)) for mode, found in shapes.items()],
            ref_template=_REF + "{model}",
            schema_generator=_Generator,
        )
        self._made: dict[tuple[Any, JsonSchemaMode], Schema] = {
            (shape, mode): schema
            for mode, found in shapes.items()
            for shape, schema in zip(found, made["all", mode].get("prefixItems", ()), strict=True)
        }
        self.definitions: dict[str, Schema] = whole["$defs"]
        """What the schemas refer to, by name."""
        # A query is spelled out as parameters, so that nothing refers to it as a whole.
        self._queries = {query: self.definitions.pop(self._name(query)) for query in queries}

    def body(self, shape: Any) -> Schema:
        """The schema of a body."""
        return self._made[shape, "validation"]

    def answer(self, shape: Any) -> Schema:
        """The schema of an answer, or of the envelope of an error."""
        return self._made[shape, "serialization"]

    def parameters(self, shape: Any) -> list[Schema]:
        """The fields of a query as parameters."""
        schema = self._queries[shape]
        required = schema.get("required", ())
        return [
            {"name": name, "in": "query", "required": name in required, "schema": member}
            for name, member in schema.get("properties", {}).items()
        ]

    def _name(self, query: Any) -> str:
        return str(self._made[query, "validation"]["$ref"]).removeprefix(_REF)


def _distinct(shapes: Iterable[Any]) -> list[Any]:
    return [shape for shape in dict.fromkeys(shapes) if shape is not None]


def _adapter(shapes: list[Any]) -> TypeAdapter[Any]:
    # One of a tuple of all shapes is built in a fifth of the time that one for each takes.
    together: Any = GenericAlias(tuple, tuple(shapes))
    return TypeAdapter(together)


class _Generator(GenerateJsonSchema):
    """Writes `Listing[Row]` as `Listing_Row`, and no titles that only repeat the names of members."""

    def normalize_name(self, name: str) -> str:
        return super().normalize_name(name.replace("]", ""))

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False
