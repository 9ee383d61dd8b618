"""Requests that schemathesis makes of the OpenAPI documents, sent to a pipeline with credentials that fit."""

import json
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

import requests
import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.core.transport import Response

from mockserver.api.access import USERS, Access, Scheme
from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.values import to_json
from mockserver.server.assembly import ENDPOINTS
from mockserver.server.openapi import document
from tests.server.robustness.stage import Stage, signed

# A text that is too long may make the URL too long: 414, which schemathesis does not expect.
CONFIG = SchemathesisConfig.from_dict({"checks": {"negative_data_rejection": {"expected-statuses": ["4xx"]}}})

SECRET = {"authorization": "Bearer sk_test_tests"}


class Operation(NamedTuple):
    """An operation as it is declared, and as schemathesis draws its cases."""

    endpoint: Endpoint
    drawn_from: Any

    def __str__(self) -> str:
        return self.endpoint.operation


@cache
def operations() -> tuple[Operation, ...]:
    """All operations of both documents that are built."""
    return (*_operations(control=False), *_operations(control=True))


def _operations(*, control: bool) -> Iterator[Operation]:
    declared = {(endpoint.method, endpoint.path): endpoint for endpoint in ENDPOINTS}
    described = json.loads(to_json(document(ENDPOINTS, control)))
    # Credentials are what these tests bring along, and not what is drawn.
    described["components"].pop("securitySchemes", None)
    for shown in [each for path in described["paths"].values() for each in path.values()]:
        shown.pop("security", None)
        for parameter in shown.get("parameters", ()):
            _read_as_sent(parameter)
    found: list[Any] = [*schemathesis.openapi.from_dict(described, config=CONFIG).get_all_operations()]
    for drawn_from in [each.ok() for each in found]:
        endpoint = declared[drawn_from.method.upper(), drawn_from.path]
        yield Operation(endpoint, drawn_from)


def _read_as_sent(parameter: dict[str, Any]) -> None:
    """Leave null out of a parameter of a query, where there is no null: what spells it is a text."""
    schema = parameter.get("schema", {})
    some = [each for each in schema.get("anyOf", ()) if each.get("type") != "null"]
    if parameter.get("in") == "query" and len(some) == 1:
        parameter["schema"] = some[0]


def credentials(access: Access, token: str) -> list[dict[str, str]]:
    """The headers of the callers that an operation takes, such as the backend and a signed-in user."""
    user = {"authorization": f"Bearer {token}", "x-project-key": "pk_test_tests"}
    by_scheme = {Scheme.SECRET_KEY: SECRET, **dict.fromkeys({*USERS, Scheme.PROJECT_KEY}, user)}
    by_scheme[Scheme.PUBLISHABLE_KEY] = {"authorization": "Bearer pk_test_tests"}
    # Pipelines are called by no socket, and need no token.
    by_scheme[Scheme.CONTROL_TOKEN] = {}
    if access.session_required:
        return [user]
    found = [by_scheme[scheme] for scheme in Scheme if scheme in access.schemes]
    return [headers for number, headers in enumerate(found) if headers not in found[:number]] or [SECRET]


def send(stage: Stage, operation: Operation, case: Any, headers: dict[str, str]) -> Response:
    """The answer of a stage to a case that schemathesis has drawn, as schemathesis takes it."""
    given = case.as_transport_kwargs(base_url="http://mock")
    prepared = requests.Request(**{name: given[name] for name in given if name in _TAKEN}).prepare()
    answer = stage.send(_request(stage, operation, prepared, headers))
    heard: dict[str, list[str]] = defaultdict(list)
    for name, value in answer.headers:
        heard[name.decode()].append(value.decode())
    return Response(answer.status, heard, answer.body, prepared, elapsed=0.0, verify=False)


_TAKEN = frozenset({"method", "url", "headers", "params", "json", "data", "cookies"})


def _request(stage: Stage, operation: Operation, prepared: Any, headers: dict[str, str]) -> Request:
    target = urlsplit(prepared.url)
    body = prepared.body or b""
    content = body.encode() if isinstance(body, str) else body
    sent = {name.lower(): value for name, value in prepared.headers.items()} | headers
    request = Request(prepared.method, unquote(target.path), target.query, sent, content)
    if operation.endpoint.access.wallet_auth:
        signed(stage, request, _FRESH)
    return request


# The stage has signed its own requests with the numbers before it.
_FRESH = 10_000
