"""Lines of recordings of format 1, as they are in format 2."""

from typing import Any

from mockserver.server.recording.format_1 import Upgrade
from tests.tables import cases

GET = {"method": "GET", "path": "/v1/contracts"}
OK, LATE = {"status": 200}, {"status": 200, "delay_ms": 50}
ASKED = {"n": 1, "request": GET}
CLOCK = {"now_ms": 1, "mode": "frozen", "rate": 2.0}
STATE = {"clock": CLOCK, "seed": "a", "next_timer": 3, "rows": []}
CIRCUMSTANCES = {f"clock_{name}" if name != "now_ms" else name: value for name, value in CLOCK.items()}
CIRCUMSTANCES |= {"seed": "a", "next_timer": 3, "scenario_state": None}


@cases(
    "lines, steps",
    ([ASKED, {"n": 1, "answer": OK}], [{**ASKED, "answer": OK}]),
    ([ASKED, {"n": 1, "answer": OK, "now_ms": 5, "x": 1}], [{**ASKED, "now_ms": 5, "answer": OK}]),
    ([ASKED, {"n": 1, "waits": True, "real_ms": 7}], [{**ASKED, "real_ms": 7, "waits": True}]),
    ([{"n": 1, "answer": OK}], [{"n": 1, "resume": True, "answer": OK}]),
    ([{"n": 1, "slice": True, "changes": 2}], [{"n": 1, "resume": True, "changes": 2, "waits": True}]),
    ([ASKED, {"n": 1, "withheld": "answer"}], [{**ASKED, "withheld": "answer"}]),
    ([ASKED, {"n": 2, "withheld": "request"}], [{"n": 2, "withheld": "request"}]),
    ([{"n": 2, "withheld": "answer", "now_ms": 5}], [{"n": 2, "now_ms": 5, "withheld": "answer"}]),
    ([ASKED, {"n": 1, "answer": {**OK, "delay_ms": 0}}], [{**ASKED, "answer": {**OK, "delay_ms": 0}}]),
    ([ASKED, {"n": "1", "answer": LATE}], [{**ASKED, "answer": LATE}]),
    # A request has one outcome.
    (
        [ASKED, {"n": 1, "waits": True}, {"n": 1, "answer": OK}],
        [{**ASKED, "waits": True}, {"n": 1, "resume": True, "answer": OK}],
    ),
    # An answer that is delayed is given once its delay is over, which is when nothing acts on it any more.
    (
        [
            ASKED,
            {"n": 1, "answer": LATE},
            {"n": 1, "acts": 2, "now_ms": 5},
            {"n": 1, "acts": 1},
            {"n": 1, "acts": 0, "real_ms": 9},
            {"n": 1, "acts": 0},
        ],
        [
            {**ASKED, "waits": True},
            {"n": 1, "resume": True, "now_ms": 5, "waits": True},
            {"n": 1, "resume": True, "waits": True},
            {"n": 1, "resume": True, "real_ms": 9, "answer": LATE},
            {"n": 1, "resume": True, "waits": True},
        ],
    ),
    ([{"exchange": 1, "n": 1}, {"change": 1}, {"checkpoint": 1}], []),
    ([{"begin": {"digests": {"a": 1}, "x": 2}}], [{"begin": {"digests": {}, "x": 2}}]),
    ([{"end": {"digests": {"a": 1}}}, {"end": 5}], [{"end": {"digests": {}}}] * 2),
    ([{"row": 1}], [{"row": 1}]),
    ([{"server": {"log_order": 1, "strict": True}}], [{"server": {"strict_keys": True}}]),
    (
        [{"project": {"id": "pro_1", "last_exchange": 3, "last_change": 4, "journal": []}, "at": 1}],
        [{"project": {"id": "pro_1", "history": {"last_number": 3, "calls": 3}}, "at": 1}],
    ),
    ([{"project": None}], [{"project": {"history": {"last_number": 0, "calls": 0}}}]),
    ([{"state": STATE}], [{"state": {"rows": [], "circumstances": CIRCUMSTANCES}}]),
)
def test_lines_become_those_of_format_2(lines: list[Any], steps: list[Any]) -> None:
    upgrade = Upgrade()
    assert [step for line in lines for step in upgrade.take(line)] == steps
