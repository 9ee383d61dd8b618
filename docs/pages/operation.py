"""A page for each operation of the public API."""

import json
from collections.abc import Iterator
from typing import Any

from docs.examples import senders
from docs.pages.causing import codes_to_cause, error_scenario, fate_scenario, fault_scenario, sent_code
from docs.pages.fidelity import fidelity_rows
from docs.pages.markdown import page, table
from docs.pages.members import answer_rows, operation_of, request_rows, value_of
from docs.pages.operations import callers
from docs.pages.remedies import answered_message, remedies
from docs.pages.shapes import Schema
from mockserver.api.access import Scheme
from mockserver.api.common_errors import common_errors
from mockserver.api.endpoint import Endpoint
from mockserver.errors import ErrorRow
from mockserver.manual.pages import anchor_of
from mockserver.server.answering.envelopes import envelope_of
from mockserver.server.assembly import ENDPOINTS
from mockserver.server.openapi import document
from mockserver.server.openapi.examples import CallExample, read_examples

_HEADERS = {
    Scheme.SECRET_KEY: ("Authorization: Bearer sk_test_...",),
    Scheme.PUBLISHABLE_KEY: ("Authorization: Bearer pk_test_...",),
    Scheme.PROJECT_KEY: ("x-project-key: pk_test_...",),
    Scheme.AUTH_TOKEN: ("Authorization: Bearer <session token>", "x-project-key: pk_test_..."),
    Scheme.ACCESS_TOKEN: ("Authorization: Bearer pk_test_...", "x-player-token: <access token>"),
}
"""The headers of each scheme; an example has those of the first that its operation takes."""


def operation_pages() -> dict[str, str]:
    """The page of every operation by its file name."""
    described = document(ENDPOINTS, False)
    public = (endpoint for endpoint in ENDPOINTS if endpoint.family.public)
    return {f"operations/{each.operation}.md": page(_page(each, described)) for each in public}


def _page(endpoint: Endpoint, described: Schema) -> Iterator[str]:
    example = read_examples().calls.get(endpoint.operation)
    yield from (f"# `{endpoint.operation}`", "", f"`{endpoint.method} {endpoint.path}`", "")
    yield from _introduction(endpoint, operation_of(endpoint, described))
    if endpoint.handler is not None:
        yield from ("", "## Request", "", *_request(endpoint, described, example))
        yield from ("", "## Answer", "", *_answer(endpoint, described, example))
    yield from ("", "## Errors", "", *_errors(endpoint))
    yield from ("", "## Faults and fates", "", *_faults(endpoint))


def _introduction(endpoint: Endpoint, operation: Schema) -> Iterator[str]:
    if endpoint.handler is None:
        yield "Declared, but not implemented: it answers 501 unless a rule of a scenario answers."
    else:
        yield endpoint.summary
        if "description" in operation:
            yield from ("", " ".join(str(operation["description"]).split()))
    rows = [
        ("resource", f"[{endpoint.tag}](../operations.md#{anchor_of(endpoint.tag)})"),
        ("credentials", callers(endpoint.access)),
    ]
    if endpoint.access.scope:
        rows.append(("scope", f"[`{endpoint.access.scope}`](../scopes.md)"))
    if endpoint.tag == "Policies":
        rows.append(("see also", "[criteria](../criteria.md)"))
    if endpoint.deprecated:
        rows.append(("deprecated", "yes"))
    rows += fidelity_rows(endpoint)
    yield from ("", *table(("", ""), rows))


def _request(endpoint: Endpoint, described: Schema, example: CallExample | None) -> Iterator[str]:
    rows = request_rows(endpoint, described)
    if rows:
        yield from table(("member", "in", "value", "there", "meaning"), rows)
        yield ""
    yield from ("```http", f"{endpoint.method} {_path(endpoint, example)}", *_credentials(endpoint))
    body = None if example is None else example.request
    if body is not None:
        kind = endpoint.reads or "application/json"
        yield from (f"Content-Type: {kind}", "", body if isinstance(body, str) else _json(body))
    yield "```"


def _path(endpoint: Endpoint, example: CallExample | None) -> str:
    path = endpoint.path
    for name, value in (example.path if example else {}).items():
        path = path.replace(f"{{{name}}}", value)
    return path


def _credentials(endpoint: Endpoint) -> Iterator[str]:
    for scheme, headers in _HEADERS.items():
        if scheme in endpoint.access.schemes:
            yield from headers
            break
    if endpoint.access.wallet_auth:
        yield "X-Wallet-Auth: <token>"


def _answer(endpoint: Endpoint, described: Schema, example: CallExample | None) -> Iterator[str]:
    responses = operation_of(endpoint, described)["responses"]
    for status, response in responses.items():
        if status >= "400":
            continue
        schema = response.get("content", {}).get("application/json", {}).get("schema")
        if schema is None:
            yield f"`{status}`: {_bare(status, response)}."
            yield ""
            continue
        yield f"`{status}`: {value_of(schema, described, '../objects.md')}."
        yield ""
        rows = answer_rows(schema, described)
        if rows:
            yield from (*table(("member", "value", "there", "meaning"), rows), "")
    if example is not None:
        yield from ("```json", _json(example.response), "```")


def _bare(status: str, response: Schema) -> str:
    if status == "302":
        return "a redirect; what went wrong is in the `error` of its query"
    kinds = ", ".join(response.get("content", {}))
    return f"a text ({kinds})" if kinds else "no body"


def _errors(endpoint: Endpoint) -> Iterator[str]:
    if endpoint.errors:
        heads = ("code", "status", "message", "what to do")
        yield from (*table(heads, (_error_row(endpoint, row) for row in endpoint.errors)), "")
    common = ", ".join(dict.fromkeys(_error_link(endpoint, row) for row in common_errors(endpoint)))
    if common:
        yield from (f"As any operation with such credentials and such a body: {common}.", "")
    yield from (
        "And what [any call](../errors.md#any-call) may be answered with. This rule causes an error. Another",
        "code in its place, as [errors](../errors.md) writes it, causes that one:",
        "",
        "```yaml",
        error_scenario(endpoint, codes_to_cause(endpoint)[0]),
        "```",
    )


def _error_row(endpoint: Endpoint, row: ErrorRow) -> tuple[str, ...]:
    message = answered_message(row, envelope_of(endpoint.family, row))
    return _error_link(endpoint, row), str(row.status), message, remedies()[row]


def _error_link(endpoint: Endpoint, row: ErrorRow) -> str:
    return f"[`{sent_code(endpoint, row)}`](../errors.md#{row.code.lower()})"


def _faults(endpoint: Endpoint) -> Iterator[str]:
    yield from (
        "Any [fault](../../guides/faults.md) may hit the call, such as an answer that is lost:",
        "",
        "```yaml",
        fault_scenario(endpoint),
        "```",
    )
    if endpoint.operation in senders():
        yield from (
            "",
            "It sends a transaction, which meets its [fate](../../guides/transactions.md#fates):",
            "",
            "```yaml",
            fate_scenario(endpoint, "reverted"),
            "```",
        )


def _json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
