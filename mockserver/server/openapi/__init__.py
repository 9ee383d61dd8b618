"""OpenAPI 3.1 documents, generated from the declarations of endpoints."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

from mockserver import errors
from mockserver.api.access import Access, Scheme
from mockserver.api.common_errors import common_errors
from mockserver.api.endpoint import Endpoint
from mockserver.errors import ErrorRow
from mockserver.server.envelopes import ENVELOPES
from mockserver.server.openapi.components import (
    CONTROL_SECURITY_SCHEMES,
    HEADERS,
    SECURITY_SCHEMES,
    SHOWN_BY,
    Schema,
)
from mockserver.server.openapi.schemas import Schemas
from mockserver.version import __version__


@cache
def document(endpoints: tuple[Endpoint, ...], control: bool) -> Schema:
    """The OpenAPI 3.1 document of the public API or of the control API, built on first use."""
    described = [endpoint for endpoint in endpoints if endpoint.family.public is not control]
    schemas = Schemas(described)
    paths: dict[str, Schema] = defaultdict(dict)
    for endpoint in described:
        paths[endpoint.path][endpoint.method.lower()] = _operation(endpoint, schemas)
    components: Schema = {"schemas": schemas.definitions}
    if control:
        components["securitySchemes"] = CONTROL_SECURITY_SCHEMES
    else:
        components |= {"securitySchemes": SECURITY_SCHEMES, "parameters": HEADERS}
    return {
        "openapi": "3.1.0",
        "info": {"title": f"Mock server: {'control' if control else 'public'} API", "version": __version__},
        "tags": [{"name": tag} for tag in dict.fromkeys(endpoint.tag for endpoint in described)],
        "paths": dict(paths),
        "components": components,
    }


def _operation(endpoint: Endpoint, schemas: Schemas) -> Schema:
    operation: Schema = {
        "operationId": endpoint.operation,
        "tags": [endpoint.tag],
        "x-mockserver-built": endpoint.handler is not None,
    }
    if endpoint.summary:
        operation["summary"] = endpoint.summary
    if not endpoint.access.open:
        operation["security"] = [
            _requirement(scheme, endpoint.access) for scheme in SHOWN_BY if scheme in endpoint.access.schemes
        ]
        if not endpoint.family.public:
            # No requirement at all is one of the choices: that of a server on loopback.
            operation["security"].append({})
    parameters = _parameters(endpoint, schemas)
    if parameters:
        operation["parameters"] = parameters
    if endpoint.body is not None:
        schema = schemas.body(endpoint.body)
        operation["requestBody"] = {"content": {"application/json": {"schema": schema}}}
    elif endpoint.reads is not None:
        operation["requestBody"] = {"content": {endpoint.reads: {"schema": {"type": "string"}}}}
    operation["responses"] = _responses(endpoint, schemas)
    return operation


def _requirement(scheme: Scheme, access: Access) -> dict[str, list[str]]:
    requirement: dict[str, list[str]] = {name: [] for name in SHOWN_BY[scheme]}
    if scheme is Scheme.SECRET_KEY:
        if access.scope:
            requirement["secretKey"] = [access.scope]
        if access.wallet_auth:
            requirement["walletAuth"] = []
    return requirement


def _parameters(endpoint: Endpoint, schemas: Schemas) -> list[Schema]:
    found: list[Schema] = [
        {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        for name in endpoint.parameters
    ]
    if endpoint.query is not None:
        found += schemas.parameters(endpoint.query)
    if endpoint.family.public and endpoint.method != "GET" and not endpoint.access.open:
        found.append({"$ref": "#/components/parameters/IdempotencyKey"})
    if endpoint.on_behalf:
        found.append({"$ref": "#/components/parameters/BehalfOfProject"})
    return found


def _responses(endpoint: Endpoint, schemas: Schemas) -> Schema:
    if endpoint.handler is None:
        return _error_responses(endpoint, [errors.NOT_BUILT], schemas)
    success: Schema = {"description": "The answer."}
    if endpoint.answer is not None:
        success["content"] = {"application/json": {"schema": schemas.answer(endpoint.answer)}}
    return {
        str(endpoint.status): success,
        **_error_responses(endpoint, (*common_errors(endpoint), *endpoint.errors), schemas),
    }


def _error_responses(endpoint: Endpoint, rows: Iterable[ErrorRow], schemas: Schemas) -> Schema:
    by_status: dict[int, dict[str, ErrorRow]] = defaultdict(dict)
    for row in rows:
        by_status[row.status][row.code] = row
    return {
        str(status): _error_response(endpoint, [*found.values()], schemas)
        for status, found in sorted(by_status.items())
    }


def _error_response(endpoint: Endpoint, rows: Sequence[ErrorRow], schemas: Schemas) -> Schema:
    content: Schema = {}
    lines = []
    for row in rows:
        envelope = "Problem" if row.mock_only else endpoint.family.envelope
        media_type = "application/problem+json" if envelope == "Problem" else "application/json"
        content[media_type] = {"schema": schemas.answer(ENVELOPES[envelope])}
        lines.append(f"- `{row.problem if envelope == 'Problem' else row.code}`: {row.message}")
    return {"description": "\n".join(lines), "content": content}
