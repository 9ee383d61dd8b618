"""OpenAPI 3.1 documents, generated from the declarations of endpoints."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache

from mockserver.api.endpoint import Endpoint
from mockserver.fidelity.ledger import read_ledger
from mockserver.server.openapi.components import (
    CONTROL_INFO,
    CONTROL_SECURITY_SCHEMES,
    HEADERS,
    PARAMETERS,
    PUBLIC_INFO,
    SECURITY_SCHEMES,
    Schema,
)
from mockserver.server.openapi.examples import read_examples
from mockserver.server.openapi.operations import describe_operation, describe_tags
from mockserver.server.openapi.responses import Responses
from mockserver.server.openapi.schemas import Schemas, describe, portions

FIDELITY = "x-mockserver-fidelity"
_PUBLIC: Schema = {"securitySchemes": SECURITY_SCHEMES, "parameters": PARAMETERS}
_CONTROL: Schema = {"securitySchemes": CONTROL_SECURITY_SCHEMES}


@cache
def document(endpoints: tuple[Endpoint, ...], control: bool) -> Schema:
    """The OpenAPI 3.1 document of the public API or of the control API, built on first use."""
    described = _described(endpoints, control)
    schemas, examples = Schemas(described), read_examples()
    responses = Responses(schemas, examples)
    paths: dict[str, Schema] = defaultdict(dict)
    for endpoint in described:
        operation = describe_operation(endpoint, schemas, responses, examples.calls.get(endpoint.operation))
        fidelity = {} if control else read_ledger().to_json(endpoint.operation, endpoint.tag)
        # Endpoints of tests are in no ledger.
        if fidelity:
            operation[FIDELITY] = fidelity
        paths[endpoint.path][endpoint.method.lower()] = operation
    return {
        "openapi": "3.1.0",
        "info": CONTROL_INFO if control else PUBLIC_INFO,
        "externalDocs": {
            "description": "The same as a page",
            "url": "docs?api=control" if control else "docs",
        },
        "servers": [{"url": "/", "description": "This mock server"}],
        "tags": describe_tags(described),
        "paths": dict(paths),
        "components": {
            "schemas": schemas.definitions,
            "responses": responses.shared,
            "examples": responses.examples,
            "headers": {name: HEADERS[name] for name in HEADERS if name in responses.headers},
            **(_CONTROL if control else _PUBLIC),
        },
        **({} if control else {FIDELITY: _statements()}),
    }


def prepare(endpoints: tuple[Endpoint, ...], control: bool) -> Iterator[None]:
    """Build what a document consists of, in steps of some milliseconds."""
    for part in portions(_described(endpoints, control)):
        describe(*part)
        yield
    for read in (read_examples, read_ledger):
        read()
        yield


def _described(endpoints: Iterable[Endpoint], control: bool) -> list[Endpoint]:
    return [endpoint for endpoint in endpoints if endpoint.family.public is not control]


def _statements() -> Schema:
    """The lines of the ledger by their ids, which operations name."""
    statements = read_ledger().statements
    return {each.id: {"kind": each.kind, "says": each.says, "source": each.source} for each in statements}
