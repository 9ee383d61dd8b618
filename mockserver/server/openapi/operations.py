"""Operations of the OpenAPI documents: who may call them, and what they take."""

import inspect
import re
from collections.abc import Iterable, Iterator
from typing import Any

from mockserver.api.access import Scheme
from mockserver.api.endpoint import Endpoint
from mockserver.server.openapi.components import SHOWN_BY, Schema
from mockserver.server.openapi.examples import CallExample
from mockserver.server.openapi.meanings import meaning_of
from mockserver.server.openapi.responses import Responses
from mockserver.server.openapi.schemas import Schemas

_SOURCE = re.compile(r"\s\((specification, [^.]*|`[^`]*`)\)")
"""What the docstring of a module says of its source."""


def describe_operation(
    endpoint: Endpoint, schemas: Schemas, responses: Responses, example: CallExample | None
) -> Schema:
    """The operation of an endpoint; a call that was made is its example."""
    operation: Schema = {
        "operationId": endpoint.operation,
        "tags": [endpoint.tag],
        "summary": endpoint.summary,
    }
    description = inspect.getdoc(endpoint.handler)
    if description and "\n" in description:
        operation["description"] = description.partition("\n")[2].strip()
    if endpoint.deprecated:
        operation["deprecated"] = True
    operation["security"] = list(_requirements(endpoint))
    parameters = [*_path_parameters(endpoint, example), *_parameters(endpoint, schemas)]
    if parameters:
        operation["parameters"] = parameters
    body = _request_body(endpoint, schemas, example)
    if body is not None:
        operation["requestBody"] = body
    operation["responses"] = responses.of(endpoint, example)
    return operation


def describe_tags(endpoints: Iterable[Endpoint]) -> list[Schema]:
    """The tags of endpoints, each described by the module of its first one; older ones are the last."""
    found: dict[str, str] = {}
    for endpoint in endpoints:
        if endpoint.tag not in found:
            handler: Any = endpoint.handler
            # The module itself is not asked for: pytest takes those away that a test run in it has imported.
            text = inspect.cleandoc(getattr(handler, "__func__", handler).__globals__["__doc__"] or "")
            found[endpoint.tag] = _SOURCE.sub("", text.partition("\n\n")[0])
    # What is older has its version, or says so, in parentheses.
    names = sorted(found, key=lambda name: "(" in name)
    return [{"name": name, "description": found[name]} for name in names]


def _requirements(endpoint: Endpoint) -> Iterator[dict[str, list[str]]]:
    access = endpoint.access
    if not endpoint.family.public:
        yield from _control_requirements(endpoint)
        return
    for scheme, ways in SHOWN_BY.items():
        if scheme not in access.schemes:
            continue
        for names in ways:
            requirement: dict[str, list[str]] = {name: [] for name in names}
            if scheme is Scheme.SECRET_KEY and access.scope:
                requirement[names[0]] = [access.scope]
            if access.wallet_auth:
                requirement["walletAuth"] = []
            yield requirement


def _control_requirements(endpoint: Endpoint) -> Iterator[dict[str, list[str]]]:
    """A key is only for the project `-`, the token only for a server that has one."""
    keys: list[dict[str, list[str]]] = [{}]
    if "p" in endpoint.parameters:
        keys += [{"secretKey": []}, {"publishableKey": []}]
    yield from keys
    if not endpoint.access.open:
        yield from ({"controlToken": [], **key} for key in keys)


def _path_parameters(endpoint: Endpoint, example: CallExample | None) -> Iterator[Schema]:
    for name in endpoint.parameters:
        parameter: Schema = {"name": name, "in": "path", "required": True, "schema": {"type": "string"}}
        meaning = meaning_of(name, parameter["schema"])
        if meaning:
            parameter["description"] = meaning
        if example is not None and name in example.path:
            parameter["example"] = example.path[name]
        yield parameter


def _parameters(endpoint: Endpoint, schemas: Schemas) -> Iterator[Schema]:
    if endpoint.query is not None:
        yield from schemas.parameters(endpoint.query)
    if endpoint.family.public and endpoint.method != "GET" and not endpoint.access.open:
        yield {"$ref": "#/components/parameters/IdempotencyKey"}
    if endpoint.on_behalf:
        yield {"$ref": "#/components/parameters/BehalfOfProject"}


def _request_body(endpoint: Endpoint, schemas: Schemas, example: CallExample | None) -> Schema | None:
    shown: Schema = {} if example is None or example.request is None else {"example": example.request}
    if endpoint.body is not None:
        content = {"application/json": {"schema": schemas.body(endpoint.body), **shown}}
        required = bool(schemas.required_members(endpoint.body))
        return {"content": content, **({"required": True} if required else {})}
    if endpoint.reads is not None:
        return {"required": True, "content": {endpoint.reads: {"schema": {"type": "string"}, **shown}}}
    return None
