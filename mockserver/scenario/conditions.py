"""The `when` of a rule."""

import re
import warnings
from collections.abc import Sequence
from typing import Any

from mockserver.api.endpoint import Routes
from mockserver.api.forms import query_name
from mockserver.scenario import fields
from mockserver.scenario.bodies import knows
from mockserver.scenario.calls import read_patterns
from mockserver.scenario.findings import Findings, shown
from mockserver.scenario.schema import JsonPath, Nth, Operator, Pattern, Test, When
from mockserver.scenario.tree import Node

_WHEN = ("call", "headers", "query", "body", "nth", "position")
_NTH = ("from", "to", "every")
_OPERATORS: tuple[Operator, ...] = ("equals", "contains", "matches", "present")
_LONGEST_EXPRESSION = 1_000
_MANY = 10**9


def read_when(node: Node, routes: Routes, findings: Findings) -> When:
    """Which calls a rule is about. A call alone may stand for all of it."""
    if not isinstance(node.value, dict):
        return When(calls=read_patterns(node, routes, findings))
    found = fields.members(node, findings, "when", _WHEN)
    if not node.value:
        findings.add(node.place, "when says nothing; leave it out for a rule about every call")
    tested: dict[str, Any] = {}
    for part in ("headers", "query", "body"):
        if part in found:
            tested[part] = tuple(_tested(part, found[part], findings))
    calls = read_patterns(found["call"], routes, findings) if "call" in found else ()
    if "body" in found:
        _check_paths(found["body"], calls, routes, findings)
    return When(
        calls=calls,
        nth=_nth(found["nth"], findings) if "nth" in found else None,
        positions=tuple(_positions(found["position"], findings)) if "position" in found else (),
        **tested,
    )


def _positions(node: Node, findings: Findings) -> list[str]:
    entries = fields.one_or_more(node, findings, "position")
    return [fields.name(entry, findings, "a position") for entry in entries]


def _tested(
    part: str, node: Node, findings: Findings
) -> list[tuple[str, tuple[Test, ...]]] | list[tuple[JsonPath, tuple[Test, ...]]]:
    members = fields.entries(node, findings, part)
    if part == "body":
        return [(json_path(name), _tests(member, findings)) for name, member in members.items()]
    if part == "headers":
        return [(name.lower(), _tests(member, findings)) for name, member in members.items()]
    return [(query_name(name), _tests(member, findings)) for name, member in members.items()]


def _check_paths(node: Node, calls: Sequence[Pattern], routes: Routes, findings: Findings) -> None:
    """Note what no body of these operations can have: the rule would never fire."""
    named = [routes.by_operation[call.operation].body for call in calls if call.operation is not None]
    if not named or len(named) < len(calls) or not isinstance(node.value, dict):
        return
    for path, test in node.value.items():
        absent = isinstance(test.value, dict) and "present" in test.value
        if not absent and not any(body is not None and knows(body, json_path(path)) for body in named):
            operations = " or ".join(str(call.operation) for call in calls)
            findings.add(node.keys[path], f"{shown(path)} is nothing that a body of {operations} has")


def json_path(text: str) -> JsonPath:
    """`calls[0].to` in parts; `calls.0.to` is the same."""
    return tuple(part for part in re.split(r"[.\[\]]", text) if part)


def _tests(node: Node, findings: Findings) -> tuple[Test, ...]:
    """What must hold of a value: a value to equal, or a mapping of operators."""
    if not isinstance(node.value, dict):
        return (Test("equals", node.plain(), node.text or ""),)
    found = fields.members(node, findings, "a test", _OPERATORS)
    if not node.value:
        findings.add(node.place, f"a test has at least one of {', '.join(_OPERATORS)}")
    return tuple(_test(name, found[name], findings) for name in _OPERATORS if name in found)


def _test(operator: Operator, node: Node, findings: Findings) -> Test:
    pattern = None
    if operator == "present":
        fields.flag(node, findings, "present")
    elif operator == "matches":
        pattern = _expression(node, findings)
    return Test(operator, node.plain(), node.text or "", pattern)


def _expression(node: Node, findings: Findings) -> re.Pattern[str] | None:
    text = fields.text(node, findings, "matches")
    if len(text) > _LONGEST_EXPRESSION:
        findings.add(node.place, f"a regular expression has at most {_LONGEST_EXPRESSION} characters")
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return re.compile(text)
    except (re.error, OverflowError, RecursionError) as error:
        findings.add(node.place, f"{shown(text)} is not a regular expression: {error}")
        return None


def _nth(node: Node, findings: Findings) -> Nth:
    if not isinstance(node.value, dict):
        entries = fields.one_or_more(node, findings, "nth")
        return Nth(frozenset(fields.whole(entry, findings, "nth", 1, _MANY) for entry in entries))
    found = fields.members(node, findings, "nth", _NTH)
    if not node.value:
        findings.add(node.place, f"nth is a number, a list of numbers, or has some of {', '.join(_NTH)}")
    numbers = {name: fields.whole(found[name], findings, name, 1, _MANY) for name in found}
    first, last = numbers.get("from", 1), numbers.get("to")
    if last is not None and last < first:
        findings.add(found["to"].place, f"no call comes from {first} on and up to {last}")
    return Nth(first=first, last=last, every=numbers.get("every", 1))
