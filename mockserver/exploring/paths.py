"""The unhappy paths of an operation: what can go wrong with a call, as an action of a rule."""

from collections.abc import Iterator, Mapping
from functools import cache
from http import HTTPStatus
from typing import Any, NamedTuple

from mockserver import errors
from mockserver.api.access import USERS
from mockserver.api.endpoint import RPC_METHOD, Endpoint
from mockserver.server.answering.envelopes import find_code
from mockserver.server.assembly import ROUTES


class UnhappyPath(NamedTuple):
    """One way in which a call can go wrong."""

    id: str
    title: str
    then: str
    """What a rule says to make it happen, in YAML."""
    is_lasting: bool = False
    """Whether calls of the operation that follow, such as retries, meet it, too."""
    statuses: tuple[int, ...] = ()
    """The statuses that show that it was met."""
    codes: tuple[str, ...] = ()
    """The error codes that show it."""
    outcome: str | None = None
    """The status of a transaction that shows it."""
    is_there: bool = False
    """Whether it says that what the call makes is there already."""


_LOST = UnhappyPath(
    "lost answer",
    "the call is done, and its answer is lost",
    "{fault: {connection_reset_by_peer: {effect: done}}}",
)
_BROKEN = UnhappyPath(
    "broken connection", "the connection breaks before the call", "{fault: connection_reset_by_peer}"
)
_FAILS_ONCE = UnhappyPath(
    "503 once",
    "the service is away for one call",
    "{fault: {server_error: {status: 503}}}",
    statuses=(502, 503),
)
_AWAY = UnhappyPath(
    "503 lasting",
    "the service stays away",
    "{fault: {server_error: {status: 503}}}",
    True,
    statuses=(502, 503),
)
_INTERNAL = UnhappyPath("500", "the service fails", "{answer: 500}", statuses=(500,))
_LIMITED = UnhappyPath("429", "the calls are too many for a moment", "{error: rate_limited}", statuses=(429,))
_UNREADABLE = UnhappyPath(
    "malformed JSON", "the call is done, and its answer cannot be read", "{fault: malformed_json}"
)
_EXPIRED = UnhappyPath(
    "session expired",
    "the user's session has expired by then",
    "[{clock: +60d}, {effect: done}]",
    statuses=(401,),
)
_FATES = tuple(
    UnhappyPath(f"fate {outcome}", title, f"{{fate: {outcome}}}", outcome=status)
    for outcome, status, title in (
        ("reverted", "reverted", "the transaction reverts on chain"),
        ("dropped", "failed", "the transaction is dropped from the mempool"),
        ("never_mined", "sent", "the transaction stays pending"),
        ("reorged", "sent", "the block of the transaction is taken back after its receipt"),
    )
)
_OTHERWISE_MET = frozenset({"rate_limited", "internal_error"})
"""The codes of what other paths are for."""
_OF_REQUESTS = frozenset(
    {
        errors.INVALID_JSON,
        errors.INVALID_PARAMETERS,
        errors.UNSUPPORTED_MEDIA_TYPE,
        errors.IAM_INVALID_JSON,
        errors.IAM_VALIDATION,
        errors.IDEMPOTENCY_KEY_INVALID,
    }
)
"""What is wrong with a request as such: a client that works meets none of them."""


@cache
def unhappy_paths(operation: str) -> tuple[UnhappyPath, ...]:
    """The unhappy paths of a public operation, most likely first; none of what is no operation of the API."""
    endpoint = ROUTES.by_operation.get(operation)
    if endpoint is None or not endpoint.family.public or endpoint.method == RPC_METHOD:
        return ()
    return tuple(_paths_of(endpoint))


def _paths_of(endpoint: Endpoint) -> Iterator[UnhappyPath]:
    is_write = endpoint.method != "GET"
    if is_write:
        yield _LOST
    yield _FAILS_ONCE
    yield _AWAY
    yield _LIMITED
    if endpoint.transacts:
        yield from _FATES
    yield from _errors_of(endpoint)
    if endpoint.access.schemes & USERS:
        yield _EXPIRED
    yield _INTERNAL
    yield _BROKEN
    if is_write:
        yield _UNREADABLE


def _errors_of(endpoint: Endpoint) -> Iterator[UnhappyPath]:
    """The errors that are the operation's own: those that depend on what the service has and is."""
    seen: set[str] = set()
    for row in endpoint.errors:
        is_own = row not in _OF_REQUESTS and not row.mock_only
        if is_own and row.code not in seen | _OTHERWISE_MET and "X" not in row.code:
            seen.add(row.code)
            yield UnhappyPath(
                row.code,
                f"it answers {row.status} {row.code}",
                f"{{error: {row.code}}}",
                is_lasting=True,
                codes=(row.code,),
                is_there="exist" in row.code.lower() and row.status != HTTPStatus.NOT_FOUND,
            )


def is_met(path: UnhappyPath, entry: Mapping[str, Any]) -> bool:
    """Whether an entry of a journal shows that its client has met a path."""
    if entry["lost"] or entry["fault"] is not None:
        was_done = bool(entry["effects"]["rows"])
        shown = _UNREADABLE if not entry["lost"] else _LOST if was_done else _BROKEN
        return path in (_FAILS_ONCE, _AWAY) if entry["fault"] == "server_error" else path is shown
    if path.statuses and entry["status"] in path.statuses:
        return True
    answer = (entry["response"] or {}).get("body")
    if not isinstance(answer, dict):
        return False
    if find_code(answer) in path.codes:
        return True
    return path.outcome is not None and answer.get("status") == path.outcome
