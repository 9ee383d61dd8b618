"""The unhappy paths of an operation: what can go wrong with a call, as an action of a rule."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import NamedTuple

from mockserver import errors
from mockserver.api.access import USERS
from mockserver.api.endpoint import RPC_METHOD, Endpoint


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


class Met(NamedTuple):
    """What of an answered call shows which paths its client has met."""

    status: int
    fault: str | None
    is_lost: bool
    """Whether the client got nothing of the answer."""
    is_done: bool
    """Whether the call has changed any rows."""
    code: str | None
    """The error code of its answer."""
    outcome: object
    """The status of what its answer shows, such as a transaction."""


_OF_CODES = (
    errors.IAM_OTP_EXPIRED,
    errors.IAM_LINK_EXPIRED,
    errors.IAM_SIWE_NONCE,
    errors.IAM_LINK_SIWE_NONCE,
)
"""The errors of operations that take what an earlier call has issued, for a while and once."""

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
    is_lasting=True,
    statuses=(502, 503),
)
_INTERNAL = UnhappyPath("500", "the service fails", "{answer: 500}", statuses=(500,))
_LIMITED = UnhappyPath("429", "the calls are too many for a moment", "{error: rate_limited}", statuses=(429,))
_TWICE = UnhappyPath(
    "sent twice",
    "the request arrives twice, and the second answer is the client's",
    "{fault: duplicate_request}",
)
_UNREADABLE = UnhappyPath(
    "malformed JSON", "the call is done, and its answer cannot be read", "{fault: malformed_json}"
)
_EXPIRED = UnhappyPath(
    "session expired",
    "the user's session has expired by then",
    "[{clock: +60d}, {effect: done}]",
    statuses=(401,),
)
_STALE = UnhappyPath(
    "code expired",
    "the code, link or nonce that the user brings has expired by then",
    "[{clock: +2h}, {effect: done}]",
    codes=tuple(row.code for row in _OF_CODES),
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


def unhappy_paths(endpoint: Endpoint | None) -> tuple[UnhappyPath, ...]:
    """The unhappy paths of a public operation, most likely first; none of what is no operation of the API."""
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
    if not {*_OF_CODES}.isdisjoint(endpoint.errors):
        yield _STALE
    if is_write:
        yield _TWICE
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


def is_met(path: UnhappyPath, call: Met) -> bool:
    """Whether a call shows that its client has met a path."""
    if call.fault == "server_error":
        return path in (_FAILS_ONCE, _AWAY)
    if call.fault == "duplicate_request":
        return path is _TWICE
    if call.fault is not None:
        return path is (_UNREADABLE if not call.is_lost else _LOST if call.is_done else _BROKEN)
    if call.status in path.statuses or call.code in path.codes:
        return True
    return path.outcome is not None and call.outcome == path.outcome
