"""The filters of the journal: which exchanges a list shows."""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Annotated

from pydantic import Field

from mockserver.api.values import find_rpc_error
from mockserver.errors import is_error
from mockserver.kernel.globs import Glob, read_glob
from mockserver.server.answering.masking import Walker
from mockserver.server.control.bodies import ControlQuery, WaitQuery, invalid
from mockserver.state.history.event import LEAVE_ANSWER, NO_STATUS, Event

_MOST_WILDCARDS = 32
"""Each is looked for in every exchange."""


class ShowExchange(ControlQuery):
    """How an exchange is shown."""

    unmasked: bool = False
    """Show keys, tokens, passwords and codes too."""


class ListJournal(ShowExchange, WaitQuery):
    """Filters of the list; an exchange must match all of them."""

    operation: str | None = None
    """An operation id; an unknown one is an error."""
    status: Annotated[str, Field(pattern=r"^(0|[1-5]([0-9]{2}|xx))$")] | None = None
    """A status such as `404`, a class such as `4xx`, or `0` for no answer."""
    path: Annotated[str, Field(max_length=1_000)] | None = None
    """A prefix of the path, or a pattern with `*`."""
    method: str | None = None
    since: Annotated[int, Field(ge=0)] = 0
    """Only exchanges with a higher number."""
    request_id: str | None = None
    """The request's `x-request-id`."""
    matched: bool | None = None
    """Whether a rule decided about the call; false for those that no rule matched."""
    until: Annotated[int, Field(ge=0)] | None = None
    """Only exchanges up to this number."""
    failed: bool = False
    """Only exchanges that a client saw fail: a status of 400 or more, an error of
    JSON-RPC, no answer, or a lost or spoilt one."""
    faulted: bool = False
    """Only exchanges whose answer a fault spoilt."""
    rule: Annotated[str, Field(max_length=1_000)] | None = None
    """The name of a scenario's rule, or a pattern with `*`."""
    text: Annotated[str, Field(max_length=1_000)] | None = None
    """A text in the path, the query, a header or a body, in any case of letters."""
    brief: bool = False
    """Leave out headers and bodies."""


def exchange_filter(query: ListJournal, walker: Walker) -> Callable[[Event], bool] | None:
    """A function that tells whether an exchange passes every filter that is given; None if there is none."""
    tests = [*_head_tests(query), *_outcome_tests(query)]
    if query.text:
        tests.append(_text_test(query.text, walker))
    return (lambda exchange: all(test(exchange) for test in tests)) if tests else None


def _head_tests(query: ListJournal) -> Iterator[Callable[[Event], bool]]:
    """What is asked of the request."""
    if (until := query.until) is not None:
        yield lambda exchange: exchange.number <= until
    if (operation := query.operation) is not None:
        yield lambda exchange: exchange.operation == operation
    if (method := query.method) is not None:
        yield lambda exchange: exchange.method == method.upper()
    if (request_id := query.request_id) is not None:
        yield lambda exchange: exchange.request_headers.get("x-request-id") == request_id
    if query.path is not None:
        # A prefix is a pattern that ends with a wildcard.
        path = _read_pattern("path", query.path if "*" in query.path else f"{query.path}*")
        yield lambda exchange: path.matches(exchange.path)


def _outcome_tests(query: ListJournal) -> Iterator[Callable[[Event], bool]]:
    """What is asked of the answer, and of what a rule did to it."""
    if (status := query.status) is not None:
        yield lambda exchange: status in (str(exchange.status), f"{exchange.known_status // 100}xx")
    if query.failed:
        yield _has_failed
    if query.faulted:
        yield lambda exchange: exchange.fault is not None
    if (matched := query.matched) is not None:
        yield lambda exchange: (exchange.rule is not None) is matched
    if query.rule is not None:
        rule = _read_pattern("rule", query.rule)
        yield lambda exchange: exchange.rule is not None and rule.matches(exchange.rule)


def got_error(exchange: Event) -> bool:
    """Whether an exchange ended with an error, of JSON-RPC as well, or without an answer."""
    status = exchange.known_status
    return status == NO_STATUS or is_error(status) or find_rpc_error(exchange.response_body) is not None


def _has_failed(exchange: Event) -> bool:
    is_spoilt = exchange.fault is not None and exchange.fault not in LEAVE_ANSWER
    return got_error(exchange) or is_spoilt


def _read_pattern(param: str, text: str) -> Glob:
    if text.count("*") > _MOST_WILDCARDS:
        raise invalid(param, f"a pattern has at most {_MOST_WILDCARDS} wildcards")
    return read_glob(text)


def _text_test(text: str, walker: Walker) -> Callable[[Event], bool]:
    wanted = text.lower()
    as_bytes = wanted.encode("utf-8", "replace")

    def has_text(exchange: Event) -> bool:
        return (
            wanted in exchange.path.lower()
            or wanted in exchange.query.lower()
            or as_bytes in exchange.request_body.lower()
            or as_bytes in exchange.response_body.lower()
            or _has_header(exchange, wanted, as_bytes, walker)
        )

    return has_text


def _has_header(exchange: Event, wanted: str, as_bytes: bytes, walker: Walker) -> bool:
    """Whether a text is in a header as it is shown: not in a key, which every request has."""
    asked = "\n".join(map(": ".join, exchange.request_headers.items()))
    answered = b"\n".join(map(b": ".join, exchange.response_headers))
    # Few exchanges have the text at all, and masking takes longer than looking.
    if wanted not in asked.lower() and as_bytes not in answered.lower():
        return False
    sent = ((name.decode("latin-1"), value.decode("latin-1")) for name, value in exchange.response_headers)
    headers = chain(exchange.request_headers.items(), sent)
    return any(wanted in f"{name}: {walker.header(name, value)}".lower() for name, value in headers)
