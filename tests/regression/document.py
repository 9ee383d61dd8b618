"""The served OpenAPI document: which operations there are, and what they take."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

Schema = Mapping[str, Any]


@dataclass(frozen=True)
class Operation:
    """One operation, as the document declares it."""

    id: str
    method: str
    path: str
    declaration: Mapping[str, Any]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What its paths look like, a group for each parameter."""
        parts = re.split(r"\{(\w+)\}", self.path)
        return re.compile(
            "".join(re.escape(p) if i % 2 == 0 else f"(?P<{p}>[^/]+)" for i, p in enumerate(parts))
        )

    @property
    def body(self) -> Schema | None:
        """The schema of its JSON body, if it takes one."""
        content = self.declaration.get("requestBody", {}).get("content", {})
        schema: Schema | None = content.get("application/json", {}).get("schema")
        return schema


class Document:
    """The operations of a document and the schemas that they name."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self._components = value.get("components", {})
        self.operations = list(self._operations(value["paths"]))
        # A path without parameters is meant before one that would fit it with a parameter.
        self._by_specificity = sorted(self.operations, key=lambda operation: operation.path.count("{"))

    @staticmethod
    def _operations(paths: Mapping[str, Any]) -> Iterator[Operation]:
        for path, methods in paths.items():
            for method, declaration in methods.items():
                if "operationId" in declaration:
                    yield Operation(declaration["operationId"], method.upper(), path, declaration)

    def operation_of(self, method: str, path: str) -> Operation | None:
        """The operation that a request calls."""
        bare = path.partition("?")[0]
        for operation in self._by_specificity:
            if operation.method == method and operation.pattern.fullmatch(bare):
                return operation
        return None

    def resolve(self, schema: Schema) -> Schema:
        """A schema or a parameter, with what it refers to in its place."""
        while "$ref" in schema:
            _, _, kind, name = schema["$ref"].split("/")
            schema = self._components[kind][name]
        return schema

    def parameters(self, operation: Operation, place: str) -> list[Mapping[str, Any]]:
        """The parameters of an operation in the `path`, the `query` or a `header`."""
        every = [self.resolve(each) for each in operation.declaration.get("parameters", [])]
        return [each for each in every if each["in"] == place]
