"""What requests cost the event loop: the CPU time in which no other request is answered."""

import gc
import time
from collections.abc import Callable, Iterator
from typing import TypeVar

from mockserver.api.call import Request
from mockserver.server.answering.pipeline import Outcome
from mockserver.server.answering.render import Response
from mockserver.server.edge.app import App

T = TypeVar("T")

BUDGET_MS = 50
"""The longest that a request may keep the loop, on a core of its own."""

SLOWNESS = 8
"""How much slower the machine of the tests may be: it is busy, or small."""


def time_ms(do: Callable[[], T]) -> tuple[T, float]:
    """What a function returns, and the CPU time that it takes of this thread, once of three times."""
    for _ in range(3):
        began = time.thread_time()
        done, spent_ms = do(), (time.thread_time() - began) * 1000
        if spent_ms < BUDGET_MS:
            break
    return done, spent_ms


def is_within_budget(app: App, request: Request) -> bool:
    """Whether answering never keeps the loop for long, once of three times: other work disturbs.

    Garbage is not collected meanwhile: here that would walk what all tests of the process keep.
    """
    gc.disable()
    try:
        return any(max(time_slices_ms(app, request)) < BUDGET_MS * SLOWNESS for _ in range(3))
    finally:
        gc.enable()


def time_slices_ms(app: App, request: Request) -> Iterator[float]:
    """The CPU time of each part of an answer; between two of them other requests are answered."""
    outcome: Outcome | None = None
    while not isinstance(outcome, Response):
        began = time.thread_time()
        outcome = app.pipeline.answer(request) if outcome is None else app.pipeline.resume(outcome)
        yield (time.thread_time() - began) * 1000
