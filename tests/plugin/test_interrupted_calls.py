"""A call in process may be interrupted, as by Ctrl-C or pytest-timeout: the server answers the next one."""

import sys
import threading
from collections.abc import Callable
from functools import partial
from itertools import count
from types import FrameType
from typing import Any

import httpx

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.tables import cases

PATIENCE_S = 10
WATCHED = ("mockserver.testing.transports.in_process", "threading", "concurrent.futures", "asyncio", "queue")
CHECKS = ("call", "c_return")
"""Where Python looks whether a signal came, as a profiler is told of it."""


class Interruption(BaseException):
    """What a handler of a signal raises."""


def interrupt(ask: Callable[[], object], place: int, *, taking: bool = False) -> bool:
    """Whether a call was interrupted, which it is at one place of those where signals are looked for.

    Python 3.14 alone looks for them just after a lock is taken: these places are passed over, or `taking`
    are the only ones.
    """
    passed = count()

    def look(frame: FrameType, event: str, called: Any) -> None:
        watched = frame.f_globals.get("__name__", "").startswith(WATCHED)
        is_meant = taking is (getattr(called, "__name__", "") == "__enter__")
        if event in CHECKS and watched and is_meant and next(passed) == place:
            sys.setprofile(None)
            raise Interruption

    sys.setprofile(look)
    try:
        ask()
    except Interruption:
        return True
    finally:
        sys.setprofile(None)
    return False


MISSING = {"path": "/nowhere", "wait": 0.001}
PLAIN = "/v1/contracts"
KINDS: dict[str, Callable[[MockProject, httpx.Client], object]] = {
    "one that is answered at once": lambda project, api: api.get(PLAIN),
    "one that waits": lambda project, api: project.call("GET", "/journal", params=MISSING),
    "one of a page": lambda project, api: api.get(PLAIN, headers={"origin": "http://shop.example"}),
}


@cases("ask", *KINDS.values(), ids=KINDS)
def test_an_interrupted_call_does_not_stop_the_server(
    ask: Callable[[MockProject, httpx.Client], object],
) -> None:
    # No block: a server that does not answer cannot be stopped.
    server = LiveServer()
    project = server.control.create_project()
    with project.connect() as api:
        for place in count():
            was_interrupted = interrupt(partial(ask, project, api), place)
            after = threading.Thread(target=api.get, args=(PLAIN,), daemon=True)
            after.start()
            after.join(PATIENCE_S)
            assert not after.is_alive(), f"nothing is answered after an interruption at place {place}"
            if not was_interrupted:
                break
    server.stop()
    assert place > 3


def test_the_thread_that_lost_a_lock_goes_on() -> None:
    answered: list[httpx.Response] = []

    def lose_a_lock() -> None:
        with LiveServer() as server, server.control.create_project().connect() as api:
            interrupt(partial(api.get, PLAIN), 0, taking=True)
            answered.append(api.get(PLAIN))

    thread = threading.Thread(target=lose_a_lock, daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    assert not thread.is_alive()
    assert answered
