"""Requests of the data, sent on the stage, and what was heard."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from tests.specification.credentials import headers_of, proof
from tests.specification.lines import Operation, filled, operations
from tests.specification.setting import the_stage
from tests.specification.stage import OWN_SECRET


class Heard(NamedTuple):
    """An answer."""

    status: int
    headers: dict[str, str]
    body: Any

    @property
    def succeeded(self) -> bool:
        """Whether the operation did what was asked: redirects count."""
        return self.status < 400

    @property
    def error(self) -> Mapping[str, Any]:
        """What is wrong, without the envelope."""
        error: Mapping[str, Any] = self.body.get("error", self.body)
        return error

    def names(self, member: str) -> bool:
        """Whether it is the error 400 for a member of the request."""
        path = member.removeprefix("?").replace("[]", "[0]")
        if self.status != 400:
            return False
        if "error" not in self.body:
            return path in str(self.error.get("message"))
        details = self.error.get("details") or {}
        return any(str(name).startswith(path) for name in (self.error.get("param"), *details))


def set_stage(operation: Operation, settings: Mapping[str, Any] | None = None) -> None:
    """Bring back the stage as an operation needs it."""
    stage = the_stage()
    stage.restore()
    changes = {**operation.settings, **(settings or {})}
    if changes:
        stage.change(changes)
    for id in operation.before:
        heard = send(next(each for each in operations() if each.id == id))
        assert heard.succeeded, heard


def send(
    operation: Operation,
    example: Mapping[str, Any] | None = None,
    *,
    by: str | None = None,
    at: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    wallet: bool | None = None,
) -> Heard:
    """The answer to an example of an operation, the first unless told."""
    stage = the_stage()
    given = filled(dict(operation.examples[0] if example is None else example), stage.names)
    target = operation.path
    for name, value in {**operation.at, **(at or {})}.items():
        target = target.replace(f"{{{name}}}", quote(str(filled(value, stage.names)), safe=""))
    in_query = {name.removeprefix("?"): given.pop(name) for name in list(given) if name.startswith("?")}
    if operation.method == "GET":
        in_query, given = given, {}
    if given.get("walletAuthToken") == "proof":
        del given["walletAuthToken"]
        given["walletAuthToken"] = proof(OWN_SECRET, target, given)
    if in_query:
        target += "?" + urlencode({name: _text(value) for name, value in in_query.items()}, doseq=True)
    caller = headers_of(by or scheme_of(operation), stage.names)
    sent = caller | dict(headers or {})
    content = b"" if operation.method in ("GET", "DELETE") else json.dumps(given).encode()
    signed = operation.wallet if wallet is None else wallet
    response = stage.send(operation.method, target, sent, content, wallet=signed)
    body = json.loads(response.body) if response.body[:1] in (b"{", b"[", b"n") else None
    headers_heard = {name.decode().lower(): value.decode() for name, value in response.headers}
    return Heard(response.status, headers_heard, body)


def scheme_of(operation: Operation) -> str:
    """The scheme that examples are sent with."""
    if operation.sent_by is not None:
        return operation.sent_by
    if operation.session:
        return "auth_token"
    if not operation.by:
        return "none"
    return "project_key" if "project_key" in operation.by else operation.by[0]


def _text(value: Any) -> Any:
    if isinstance(value, list):
        return [_text(entry) for entry in value]
    return json.dumps(value) if isinstance(value, (bool, int, float)) else value
