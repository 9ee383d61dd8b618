"""Runs that were never recorded, for the tests of what is made of a run."""

from typing import Any

from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedAnswer, RecordedRequest, Step

JSON = (("content-type", "application/json"),)


def get(path: str = "/v1/contracts", *headers: tuple[str, str], **members: Any) -> RecordedRequest:
    """A request without a body."""
    return RecordedRequest("GET", path, headers, **members)


def post(body: Any, *headers: tuple[str, str], path: str = "/v1/contracts") -> RecordedRequest:
    """A request with a body."""
    return RecordedRequest("POST", path, headers, body=body)


def answer(status: int = 200, body: Any = "{}", **members: Any) -> RecordedAnswer:
    """An answer with JSON."""
    return RecordedAnswer(status, JSON, body, **members)


def run_of(*exchanges: tuple[RecordedRequest, RecordedAnswer | None], now_ms: int | None = 0) -> Run:
    """A run of exchanges, numbered from 1."""
    steps = tuple(
        Step(number, request=request, answer=answered, waits=answered is None, now_ms=now_ms)
        for number, (request, answered) in enumerate(exchanges, 1)
    )
    return Run("2026-01-01T00:00:00.000Z", b"", steps, frozenset(), frozenset())
