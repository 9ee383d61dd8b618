"""The message of an error that a rule answers: the catalogue's, with what the call says in its blanks."""

import re
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qsl

from mockserver import errors
from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.api.values import read_json
from mockserver.errors import ApiError, ErrorRow
from mockserver.kernel import timestamps
from mockserver.kernel.spelling import shorten
from mockserver.scenario.grammar.answers import ErrorSpec
from mockserver.state.project import Project

_BECAUSE = "a scenario answers so"
_UUID = "00000000-0000-4000-8000-000000000000"

_PREFIXES = {
    "session key": "ses",
    "wallet secret": "ws",
    "key id": "ws",
    "developer account": "dac",
    "forwarder contract": "cfo",
    "fee sponsorship": "pol",
    "policy rule": "afu",
    "registered already": "dac",
    "already registered": "con",
    "paymaster": "pay",
    "contract": "con",
    "policy": "ply",
    "transaction": "tin",
    "account": "acc",
    "user": "usr",
    "wallet": "pla",
}
"""The prefix of an id by what a message says before it; longer names come first."""

_USUAL = {
    "accepted": "a secret key",
    "account": f"acc_{_UUID}",
    "account_type": "Smart Account",
    "address": "0x0000000000000000000000000000000000000001",
    "allowed": "GET",
    "before": "2",
    "came": "another value",
    "chain": "chain 80002",
    "chain_id": "80002",
    "claim": "uris",
    "content_type": "text/plain",
    "expected": "this request",
    "fitting": "another implementation",
    "header": "x-api-key",
    "identifier": "e-mail address",
    "key": "signature",
    "kind": "mainnet",
    "limit": "1",
    "name": "The implementation",
    "number": "1",
    "origin": "https://shop.example",
    "owner": "another player",
    "place": "X-Wallet-Auth",
    "player": f"pla_{_UUID}",
    "problem": "is missing",
    "provider": "google",
    "scheme": "this key",
    "scope": "that it needs",
    "serves": "Externally Owned Account",
    "state": "revoked",
    "status": "successful",
    "time": "1",
    "to": "0x0000000000000000000000000000000000000001",
    "token": "0x0000000000000000000000000000000000000001",
    "used": "2",
    "value": "1",
    "wanted": "testnet",
    "what": "a digit",
    "which": "",
}
"""What is in a blank about which the call says nothing."""


def make_error(
    spec: ErrorSpec, project: Project, endpoint: Endpoint, request: Request, path: Mapping[str, str]
) -> ApiError:
    """The error of a code, with the message that the rule gives it, or the catalogue's filled in."""
    row = errors.find_row(spec.code, endpoint.errors)
    assert row is not None
    message = spec.message
    if message is None:
        said = dict(_read_call(request, path))
        values = {**_USUAL, **_know(project, endpoint, request), **said, **_explain(spec)}
        message = row.message.format_map({**values, "id": _find_id(row, said)})
    return ApiError(row._replace(message=message), param=spec.param)


def _know(project: Project, endpoint: Endpoint, request: Request) -> Mapping[str, object]:
    """What the project and the operation say."""
    now = timestamps.format_iso(project.clock.now_ms)
    modes = {"mode": "test", "wanted": "testnet", "kind": "mainnet"}
    if project.livemode:
        modes = {"mode": "live", "wanted": "mainnet", "kind": "testnet"}
    known: dict[str, object] = {
        "method": request.method,
        "path": request.path,
        "operation": endpoint.operation,
        "project": project.id,
        "now": now,
        "valid_after": now,
        "valid_until": now,
        **modes,
    }
    if endpoint.access.scope:
        known["scope"] = endpoint.access.scope
    if "content-type" in request.headers:
        known["content_type"] = shorten(request.headers["content-type"])
    return known


def _explain(spec: ErrorSpec) -> Mapping[str, str]:
    """Why a call is refused: the rule says so."""
    summary = f"{spec.param}: {_BECAUSE}" if spec.param else f"The call is not valid: {_BECAUSE}"
    return {"reason": f"{_BECAUSE}.", "summary": f"{summary}."}


def _read_call(request: Request, path: Mapping[str, str]) -> Iterator[tuple[str, object]]:
    """What a call says, by the names that messages use: query, body and path."""
    for name, value in parse_qsl(request.query, max_num_fields=None):
        yield _snake_case(name), shorten(value)
    body = read_json(request.body)
    for name, value in body.items() if isinstance(body, dict) else ():
        if isinstance(value, (str, int)) and not isinstance(value, bool):
            yield _snake_case(name), value if isinstance(value, int) else shorten(value)
    yield from path.items()


def _find_id(row: ErrorRow, said: Mapping[str, Any]) -> str:
    """The id of what an error is about: one of its kind in the call, or else one that looks like it."""
    before = row.message.partition("{id}")[0].lower()
    kinds = [name for name in _PREFIXES if name in before] or [
        name for name in _PREFIXES if name in row.message.lower()
    ]
    prefix = _PREFIXES[kinds[0]] if kinds else "acc"
    for value in said.values():
        if isinstance(value, str) and value.startswith(f"{prefix}_"):
            return value
    # An id that the call names in its path may be of any form.
    return str(said.get("id", f"{prefix}_{_UUID}"))


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()
