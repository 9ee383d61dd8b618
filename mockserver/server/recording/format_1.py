"""Recordings of format 1 as they are in format 2.

There a step had several lines: the request, and what came of it; a delay of an answer came after the
answer. What had happened before such a recording began, and the digests of whole projects, had another form:
both are left out.
"""

from collections.abc import Iterator
from typing import Any

from mockserver.state.saved.encoding import Line

_OUTCOMES = ("answer", "waits", "slice", "withheld")
_ABOUT = ("now_ms", "real_ms", "changes")


class Upgrade:
    """Takes the lines of format 1 one by one, and gives those of format 2."""

    def __init__(self) -> None:
        self._asked: Line | None = None
        """A request whose outcome is the next line."""
        self._delayed: dict[int, Any] = {}
        """Answers that are delayed, by the number of the exchange."""

    def take(self, line: Line) -> Iterator[Line]:
        """What a line is in format 2: a line, or nothing."""
        if "request" in line:
            self._asked = line
        elif "acts" in line:
            yield self._resume(line, line["acts"] == 0)
        elif any(name in line for name in _OUTCOMES) and "n" in line:
            yield self._outcome(line)
        elif "begin" in line or "end" in line:
            name = "begin" if "begin" in line else "end"
            yield {name: {**_object(line[name]), "digests": {}}}
        elif not ("exchange" in line or "change" in line or "checkpoint" in line):
            yield _opening(line)

    def _outcome(self, line: Line) -> Line:
        asked, self._asked = self._asked, None
        number, answer = line.get("n"), line.get("answer")
        if asked is None or line.get("withheld") == "request":
            step: Line = {"n": number} if "withheld" in line else {"n": number, "resume": True}
        else:
            step = {"n": asked.get("n"), "request": asked["request"]}
        step |= {name: line[name] for name in _ABOUT if name in line}
        if "withheld" in line:
            return step | {"withheld": line["withheld"]}
        if isinstance(answer, dict) and answer.get("delay_ms") and isinstance(number, int):
            self._delayed[number] = answer
            answer = None
        return step | ({"waits": True} if answer is None else {"answer": answer})

    def _resume(self, line: Line, is_over: bool) -> Line:
        step: Line = {"n": line.get("n"), "resume": True}
        step |= {name: line[name] for name in _ABOUT if name in line}
        answer = self._delayed.pop(line.get("n", 0), None) if is_over else None
        return step | ({"waits": True} if answer is None else {"answer": answer})


def _opening(line: Line) -> Line:
    """A line of the beginning."""
    for name, upgrade in _UPGRADES.items():
        if name in line:
            return {**line, name: upgrade(_object(line[name]))}
    return line


def _server(head: Line) -> Line:
    kept = {name: value for name, value in head.items() if name not in ("log_order", "strict")}
    return {**kept, "strict_keys": head.get("strict")}


def _project(head: Line) -> Line:
    last = head.get("last_exchange", 0)
    gone = ("last_exchange", "last_change", "journal")
    kept = {name: value for name, value in head.items() if name not in gone}
    return {**kept, "history": {"last_number": last, "calls": last}}


def _state(state: Line) -> Line:
    moved = ("clock", "seed", "next_timer", "scenario_state")
    clock = _object(state.get("clock"))
    kept = {name: value for name, value in state.items() if name not in moved}
    circumstances = {
        "now_ms": clock.get("now_ms"),
        "clock_mode": clock.get("mode"),
        "clock_rate": clock.get("rate"),
        **{name: state.get(name) for name in moved[1:]},
    }
    return {**kept, "circumstances": circumstances}


def _object(value: Any) -> Line:
    return value if isinstance(value, dict) else {}


_UPGRADES = {"server": _server, "project": _project, "state": _state}
