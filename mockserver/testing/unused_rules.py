"""Rules of scenarios that never fired, and the calls that came closest to them."""

from collections.abc import Collection
from typing import NamedTuple

from mockserver.testing.connection import Entry
from mockserver.testing.project import MockProject

__tracebackhide__ = True

_LOOKED_AT = 50
"""The latest calls that are held against the rules."""
_SHOWN_CALLS = 2


class _Closest(NamedTuple):
    """A call that a rule did not match, and why not."""

    call: Entry
    missed: list[str]


def describe_unused_rules(project: MockProject, scenario_ids: Collection[str] | None = None) -> list[str]:
    """A line for each rule that never fired and is not optional, and lines for the calls closest to it.

    Only of some scenarios, if their ids are given.
    """
    unused = [
        (loaded["name"], rule)
        for loaded in project.call("GET", "/scenarios")["data"]
        if scenario_ids is None or loaded["id"] in scenario_ids
        for rule in loaded["rules"]
        if not (rule["fired"] or rule["optional"])
    ]
    closest = _find_closest(project) if unused else {}
    lines = []
    for scenario, rule in unused:
        calls = f"{rule['met']} {'call' if rule['met'] == 1 else 'calls'}"
        lines.append(f"{rule['name']} (scenario {scenario}) never fired: {calls} matched it")
        found = sorted(closest.get((scenario, rule["name"]), []), key=lambda miss: len(miss.missed))
        lines += [_explain(miss) for miss in found[:_SHOWN_CALLS]]
    return lines


def explain_unused_rules(project: MockProject) -> list[str]:
    """Why a test fails in which rules never fired of the scenarios that `load` loaded; empty if none did."""
    unused = describe_unused_rules(project, project.loaded) if project.loaded else []
    return ["rules of the test's scenarios never fired:", *unused] if unused else []


def _find_closest(project: MockProject) -> dict[tuple[str, str], list[_Closest]]:
    """The calls that nearly matched each rule, the latest first."""
    found: dict[tuple[str, str], list[_Closest]] = {}
    for call in project.journal.list(order="desc", limit=_LOOKED_AT):
        for miss in project.near_misses(call["n"]):
            rule = miss["scenario"], miss["rule"]
            found.setdefault(rule, []).append(_Closest(call, miss["missed"]))
    return found


def _explain(miss: _Closest) -> str:
    call = miss.call
    return f"  #{call['n']} {call['operation'] or call['path']}: {miss.missed[0]}"
