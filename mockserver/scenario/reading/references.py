"""References to captured answers: `${name.path.to[0].member}` in any text; `$${` is a plain `${`."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from mockserver.kernel.spelling import list_some, quote
from mockserver.scenario.reading.findings import Findings
from mockserver.scenario.reading.tree import ABSENT, Node, make_tree, member_of, split_path, write_scalar

PROJECT = "project"
"""The name that is always there: `${project.id}`, `.secret_key` and `.publishable_key`."""

REFERENCE_SCHEMA = {"type": "string", "pattern": r"\$\{[^{}]*\}"}
"""A text with a reference, as JSON Schema."""

_REFERENCE = re.compile(r"\$(\$?)\{([^{}]*)\}")
_PATH = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+|\[[0-9]{1,6}\])*")
_PROJECT_MEMBERS = ("id", "secret_key", "publishable_key")


class Unresolved(LookupError):
    """A captured answer has no such member; the message says which one is missing."""


def has_references(value: Any) -> bool:
    """Whether there is anything in a value to be put in."""
    if isinstance(value, dict):
        return any(map(has_references, value.values()))
    if isinstance(value, list):
        return any(map(has_references, value))
    return isinstance(value, str) and _REFERENCE.search(value) is not None


def references_in(value: Any) -> set[str]:
    """The names of the answers that a value refers to."""
    if isinstance(value, dict):
        return {name for member in value.values() for name in references_in(member)}
    if isinstance(value, list):
        return {name for member in value for name in references_in(member)}
    if not isinstance(value, str):
        return set()
    return {_parts(path)[0] for escape, path in _REFERENCE.findall(value) if not escape}


def check_references(node: Node, names: Collection[str], findings: Findings) -> None:
    """Note every reference to something that nothing before it captures."""
    for scalar in node.scalars():
        for escape, path in _REFERENCE.findall(scalar.text):
            if not escape:
                _check(path, names, scalar, findings)


def _check(path: str, names: Collection[str], scalar: Node, findings: Findings) -> None:
    name, *members = _parts(path)
    if not _PATH.fullmatch(path):
        findings.add(scalar.place, f"{quote(path)} is not of the form name.member")
    elif name not in names and name != PROJECT:
        findings.add_unknown(scalar.place, "captured by an earlier step", name, [*names, PROJECT])
    elif name == PROJECT and (len(members) != 1 or members[0] not in _PROJECT_MEMBERS):
        what = "one of project.id, project.secret_key and project.publishable_key"
        findings.add_unknown(scalar.place, what, path, [f"project.{name}" for name in _PROJECT_MEMBERS])


def without_references(text: str, stand_in: str) -> str:
    """A text with something else in the place of every reference."""
    return _REFERENCE.sub(lambda match: match[0][1:] if match[1] else stand_in, text)


def rewrite(text: str, on_reference: Callable[[str], str], on_text: Callable[[str], str]) -> str:
    """The text made anew: the path of each reference by one function, what is between them by another."""
    found, done, plain = "", 0, ""
    for match in _REFERENCE.finditer(text):
        plain += text[done : match.start()]
        done = match.end()
        if match[1]:
            plain += match[0][1:]
        else:
            found += f"{on_text(plain)}${{{on_reference(match[2])}}}"
            plain = ""
    return found + on_text(plain + text[done:])


def resolve(node: Node, captured: Mapping[str, Any], findings: Findings) -> Node:
    """The tree with the captured values put in. A text that is one reference becomes the value itself."""
    if isinstance(node.value, dict):
        members = {name: resolve(member, captured, findings) for name, member in node.value.items()}
        return node._replace(value=members)
    if isinstance(node.value, list):
        return node._replace(value=[resolve(member, captured, findings) for member in node.value])
    text = node.text
    if "${" not in text:
        return node
    try:
        whole = _REFERENCE.fullmatch(text)
        if whole and not whole[1]:
            return make_tree(_look_up(whole[2], captured), node.place)
        return make_tree(_fill(text, captured), node.place)
    except Unresolved as error:
        findings.add(node.place, str(error))
        return node


def _fill(text: str, captured: Mapping[str, Any]) -> str:
    def fill(match: re.Match[str]) -> str:
        if match[1]:
            return match[0][1:]
        value = _look_up(match[2], captured)
        if isinstance(value, (list, Mapping)):
            raise Unresolved(f"{match[0]} is a list or an object, which does not fit into a text")
        return write_scalar(value)

    return _REFERENCE.sub(fill, text)


def _look_up(path: str, captured: Mapping[str, Any]) -> Any:
    value: Any = captured
    so_far = ""
    for part in _parts(path):
        below = member_of(value, part)
        if below is ABSENT:
            known = f"; there is {list_some(value)}" if isinstance(value, Mapping) else ""
            raise Unresolved(f"${{{path}}}: {so_far or 'the scenario'} has no {quote(part)}{known}")
        value = below
        so_far = f"{so_far}.{part}" if so_far else part
    return value


def _parts(path: str) -> list[str]:
    return [*split_path(path)] or [""]
