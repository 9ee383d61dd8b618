"""Which answers are written at once, in one piece, beside the way that every answer can take."""

from types import SimpleNamespace
from typing import Any

from mockserver.server.answering.render import Response
from mockserver.server.edge.sending import can_answer_at_once, can_send_at_once
from tests.tables import cases


@cases(
    "changed, is_sent",
    ({}, True),
    ({"status": 201}, True),
    ({"status": 204}, False),
    ({"status": 304}, False),
    ({"rule": "slow"}, False),
    ({"fault": object()}, False),
    ({"parts": iter(())}, False),
    ({"protocol": "mcp"}, False),
)
def test_nothing_about_an_answer_may_hold_it_up(changed: dict[str, Any], is_sent: bool) -> None:
    assert can_send_at_once(Response(**{"status": 200, "headers": (), "body": b"{}", **changed})) is is_sent


@cases(
    "changed, is_answered",
    ({}, True),
    ({"more_body": True}, False),
    ({"keep_alive": False}, False),
    ({"scope": {"headers": [(b"connection", b"close")]}}, False),
    ({"scope": {"headers": [(b"connection", b"keep-alive")]}}, True),
    ({"disconnected": True}, False),
    ({"waiting_for_100_continue": True}, False),
    ({"flow": SimpleNamespace(read_paused=True, write_paused=False)}, False),
    ({"flow": SimpleNamespace(read_paused=False, write_paused=True)}, False),
)
def test_nothing_about_a_connection_may_hold_an_answer_up(changed: dict[str, Any], is_answered: bool) -> None:
    free: dict[str, Any] = {
        "more_body": False,
        "keep_alive": True,
        "scope": {"headers": []},
        "disconnected": False,
        "waiting_for_100_continue": False,
        "flow": SimpleNamespace(read_paused=False, write_paused=False),
    }
    cycle: Any = SimpleNamespace(**{**free, **changed})
    assert can_answer_at_once(cycle) is is_answered
