"""What a failed test's project recorded, as sections of pytest's report."""

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from mockserver.testing.project import MockProject

PROJECT: "pytest.StashKey[MockProject]" = pytest.StashKey()
_SET_UP_TO: pytest.StashKey[int] = pytest.StashKey()
"""The number of the last exchange before the test itself began."""
_SHOWN_EXCHANGES = 20
_SHOWN_MISSES = 2


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what the project recorded to the report of a failed test."""
    report = yield
    project = item.stash.get(PROJECT, None)
    if project is not None:
        if report.failed:
            report.sections += _sections(project, item.stash.get(_SET_UP_TO, 0))
        elif call.when == "setup":
            item.stash[_SET_UP_TO] = project.journal.last_number
    return report


def _sections(project: "MockProject", since: int) -> list[tuple[str, str]]:
    """The report sections of a failed test; none if the test deleted its project."""
    from mockserver.testing.connection import ControlApiError

    try:
        found = {
            "mockserver journal": _exchanges(project, since),
            "mockserver rules": _unused_rules(project),
            "mockserver fates": _unused_fates(project),
        }
    except ControlApiError:
        return []
    return [(title, "\n".join(lines)) for title, lines in found.items() if lines]


def _unused_fates(project: "MockProject") -> list[str]:
    """The fates that no transaction has used."""
    aims = ("kind", "chain_id", "account_id", "transaction_id")
    waiting = []
    for fate in project.call("GET", "/fates")["data"]:
        aim = ", ".join(f"{name} {fate[name]}" for name in aims if fate[name] is not None)
        waiting.append(f"{fate['outcome']} waits for a transaction: {aim}")
    return waiting


def _unused_rules(project: "MockProject") -> list[str]:
    """The scenario rules that have not taken effect."""
    return [
        f"{rule['name']} (scenario {loaded['name']}) did nothing: {rule['met']} calls met it"
        for loaded in project.call("GET", "/scenarios")["data"]
        for rule in loaded["rules"]
        if not rule["fired"]
    ]


def _exchanges(project: "MockProject", since: int) -> list[str]:
    """The last exchanges after those of the fixtures, a few lines each, with the secrets masked."""
    import json

    lines = [f"1 to {since} are of the fixtures"] if since else []
    has_rules = any(loaded["rules"] for loaded in project.call("GET", "/scenarios")["data"])
    for entry in project.journal.list(order="desc", limit=_SHOWN_EXCHANGES, since=since)[::-1]:
        target = f"{entry['path']}?{entry['query']}" if entry["query"] else entry["path"]
        rule = f"  rule {entry['rule']}" if entry["rule"] else ""
        lines.append(f"{entry['n']:>4}  {entry['method']} {target}  {entry['status']}{rule}")
        lines += [f"      hint {hint}" for hint in entry["hints"]]
        for sign, side in ((">", "request"), ("<", "response")):
            body = entry[side]["body"]
            if body is not None:
                lines.append(f"      {sign} {json.dumps(body)[:500]}")
        if has_rules and not entry["rule"]:
            lines += [
                f"      near miss: rule {miss['rule']} (scenario {miss['scenario']}): {miss['missed'][0]}"
                for miss in project.near_misses(entry["n"])[:_SHOWN_MISSES]
            ]
    return lines
