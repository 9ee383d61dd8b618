"""Reading a tree's values as what they ought to be; what is not is noted, with its place."""

import re
from collections.abc import Collection

from mockserver.scenario.findings import Findings, shown
from mockserver.scenario.tree import Node

_DURATION = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,3})?)(ms|s|m|h|d)")
_UNIT_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_LONGEST_MS = 366 * 86_400_000
_LONGEST_NAME = 200


def members(node: Node, findings: Findings, what: str, names: Collection[str]) -> dict[str, Node]:
    """The members of a mapping that has these names and no others."""
    if not isinstance(node.value, dict):
        findings.add(node.place, f"{what} is a mapping of {', '.join(names)}")
        return {}
    for name, place in node.keys.items():
        if name not in names:
            findings.add_unknown(place, f"part of {what}", name, names)
    return {name: member for name, member in node.value.items() if name in names}


def entries(node: Node, findings: Findings, what: str) -> dict[str, Node]:
    """The members of a mapping with names of its own."""
    if isinstance(node.value, dict):
        return node.value
    findings.add(node.place, f"{what} is a mapping")
    return {}


def items(node: Node, findings: Findings, what: str) -> list[Node]:
    """The members of a list."""
    if isinstance(node.value, list):
        return node.value
    findings.add(node.place, f"{what} is a list")
    return []


def one_or_more(node: Node, findings: Findings, what: str) -> list[Node]:
    """The members of a list that is not empty, or the value that stands for a list of one."""
    if not isinstance(node.value, list):
        return [node]
    if not node.value:
        findings.add(node.place, f"{what} is an empty list")
    return node.value


def text(node: Node, findings: Findings, what: str) -> str:
    """A scalar as it was written; empty when it is none."""
    if node.text is None or node.value is None:
        findings.add(node.place, f"{what} is text")
        return ""
    return node.text


def name(node: Node, findings: Findings, what: str) -> str:
    """A short text in one line, as it may stand in a header."""
    found = text(node, findings, what)
    if found and (len(found) > _LONGEST_NAME or not found.isprintable() or found != found.strip()):
        findings.add(node.place, f"{what} is one line of 1 to {_LONGEST_NAME} characters")
    elif not found and node.value == "":
        findings.add(node.place, f"{what} is empty")
    return found


def whole(node: Node, findings: Findings, what: str, lowest: int, highest: int) -> int:
    """A whole number within bounds; the lowest when it is none."""
    value = node.value
    if type(value) is int and lowest <= value <= highest:
        return value
    findings.add(node.place, f"{what} is a whole number from {lowest} to {highest}, not {shown(_seen(node))}")
    return lowest


def flag(node: Node, findings: Findings, what: str) -> bool:
    """True or false."""
    if not isinstance(node.value, bool):
        findings.add(node.place, f"{what} is true or false, not {shown(_seen(node))}")
    return node.value is True


def duration_ms(node: Node, findings: Findings, what: str) -> int:
    """A time span such as `250ms`, `1.5s`, `2m`, `1h` or `7d`; 1 when it is none."""
    match = _DURATION.fullmatch(node.text or "")
    if match is None:
        findings.add(
            node.place, f'{what} is a time span such as "250ms", "10s" or "2m", not {shown(_seen(node))}'
        )
        return 1
    span_ms = round(float(match[1]) * _UNIT_MS[match[2]])
    if not 1 <= span_ms <= _LONGEST_MS:
        findings.add(node.place, f"{what} is at least 1ms and at most 366d, not {shown(node.text)}")
        return 1
    return span_ms


def _seen(node: Node) -> str:
    if isinstance(node.value, dict):
        return "a mapping"
    if isinstance(node.value, list):
        return "a list"
    return node.text or "nothing"
