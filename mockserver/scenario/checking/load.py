"""From the text of a YAML file to a scenario, or to everything that is wrong with it."""

from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, NamedTuple

from pydantic import ValidationError

from mockserver.api.endpoint import Routes
from mockserver.domain.transactions.fate_options import FateSpec
from mockserver.scenario.checking.collection import paused_collection
from mockserver.scenario.grammar.expect import ExpectStep
from mockserver.scenario.grammar.given import SetupCall, check_captures, read_calls
from mockserver.scenario.grammar.parts import KEY
from mockserver.scenario.grammar.project_setup import ClockSpec, DeclaredKey
from mockserver.scenario.grammar.schema import WITH_REFERENCES, Grammar, Rule, part_adapter
from mockserver.scenario.reading.bounds import OF_FILES, Bounds
from mockserver.scenario.reading.compose import parse
from mockserver.scenario.reading.findings import Findings, Place
from mockserver.scenario.reading.references import check_references, has_references
from mockserver.scenario.reading.tree import Node, entries_of, members_of

PARTS = tuple(Grammar.__annotations__)
"""The parts of a scenario, in the order in which they read best."""

_WORDS = {"bool_type": "is true or false", "dict_type": "is a mapping", "tuple_type": "is a list"}
"""What is said, after the name of a member, instead of pydantic's words."""


_SENTENCES = (KEY, "misfit", "unknown", "abi", "value_error")
"""The kinds of errors whose message is a whole sentence; others follow the name of a member."""


class Scenario(NamedTuple):
    """A scenario that makes sense as far as can be told without a project."""

    name: str
    source: str
    text: str
    routes: Routes
    """The operations it was read with."""
    root: Node
    requires: tuple[str, ...] = ()
    """The files, or over HTTP the scenarios, that are to be loaded before it."""
    seed: str | None = None
    clock: ClockSpec | None = None
    keys: tuple[DeclaredKey, ...] = ()
    settings: Mapping[str, Any] = MappingProxyType({})
    calls: tuple[SetupCall, ...] = ()
    fates: tuple[FateSpec, ...] = ()
    rules: tuple[Rule, ...] = ()
    """Empty like the fates, as long as answers that they refer to are to be put in."""
    expect: tuple[ExpectStep, ...] = ()

    def root_size(self, part: str) -> int:
        """How many entries a part of it has."""
        node = self.root.value.get(part)
        return len(node.value) if node is not None and isinstance(node.value, list) else 0

    def place(self, *path: int | str) -> Place:
        """Where a part of the scenario, or a member of it, stands."""
        return self.root.at(path).place


def read(text: str, source: str, routes: Routes, bounds: Bounds = OF_FILES) -> Scenario:
    """The scenario of a text. Raises ScenarioError with everything that is wrong with it.

    `source` is what findings call the text, usually the path of its file.
    """
    with paused_collection():
        return _read(text, source, routes, bounds)


def _read(text: str, source: str, routes: Routes, bounds: Bounds) -> Scenario:
    findings = Findings(source)
    root = parse(text, findings, bounds.values)
    members = _members(root, findings)
    _require_few_entries(members, bounds, findings)
    _check_references(members, findings)
    found = {name: read_part(name, node, routes, findings) for name, node in members.items()}
    findings.stop_if_any()
    return Scenario(
        name=found.get("name", default_name(source)),
        source=source,
        text=text,
        routes=routes,
        root=root,
        calls=read_calls(members["given"], routes) if "given" in members else (),
        **{name: found[name] for name in found if name in Scenario._fields and name != "name"},
    )


def default_name(source: str) -> str:
    """What a scenario without a name is called: its file's name, without what files are marked with."""
    name = "".join(character if character.isprintable() else "?" for character in PurePath(source).stem)
    return name.strip()[:100] or "scenario"


def _members(root: Node, findings: Findings) -> Mapping[str, Node]:
    if not isinstance(root.value, dict):
        findings.add(root.place, f"a scenario is a mapping of {', '.join(PARTS)}")
        return {}
    if not root.value and not findings:
        findings.add(root.place, "the scenario is empty")
    for name, place in root.keys.items():
        if name not in PARTS:
            findings.add_unknown(place, "part of a scenario", name, PARTS)
    return {name: node for name, node in root.value.items() if name in PARTS}


def _require_few_entries(members: Mapping[str, Node], bounds: Bounds, findings: Findings) -> None:
    """Reject a part of too many entries before any of them is looked at."""
    for name, node in members.items():
        entries = node.value if isinstance(node.value, list) else ()
        most, what = (bounds.steps, "steps") if name == "given" else (bounds.entries, "entries")
        if len(entries) > most:
            findings.reject(entries[most].place, f"{name} has more than {most} {what}")
    rules = entries_of(members["rules"]) if "rules" in members else ()
    conditions = (found for rule in rules for found in _conditions(members_of(rule).get("when")))
    beyond = next(islice(conditions, bounds.entries, None), None)
    if beyond is not None:
        message = f"the rules have more than {bounds.entries} conditions within all, any and not"
        findings.reject(beyond.place, message)


def _conditions(node: Node | None) -> Iterator[Node]:
    """The conditions that a condition is made of, in the order of the text."""
    for name, member in members_of(node).items() if node is not None else ():
        if name in ("all", "any", "not"):
            for inner in entries_of(member):
                yield inner
                yield from _conditions(inner)


def _check_references(members: Mapping[str, Node], findings: Findings) -> None:
    captured = check_captures(members["given"], findings) if "given" in members else ()
    for name in WITH_REFERENCES:
        if name in members:
            check_references(members[name], captured, findings)
    if "expect" in members:
        check_captures(members["expect"], findings, captured)


def read_part(name: str, node: Node, routes: Routes, findings: Findings, *, is_resolved: bool = False) -> Any:
    """A part of a scenario. What is wrong is noted, but not where a reference is still to be put in."""
    if node.value is None:
        findings.add(node.place, f"{name} is null; leave it out")
        return None
    if name == "keys":
        _check_keys(node, findings)
    value = node.plain()
    try:
        return part_adapter(name).validate_python(value, context=routes)
    except ValidationError as error:
        _note(error, name, node, findings, is_open=name in WITH_REFERENCES and not is_resolved)
    return ()


def _check_keys(node: Node, findings: Findings) -> None:
    """Note a key that is declared twice."""
    lines: dict[str, int] = {}
    for entry in node.value if isinstance(node.value, list) else ():
        text = entry.at(("key",)).text
        if text and text in lines:
            findings.add(entry.place, f"the key is declared twice, first in line {lines[text]}")
        lines.setdefault(text, entry.place.line)


def _note(error: ValidationError, part: str, node: Node, findings: Findings, *, is_open: bool) -> None:
    """Note what pydantic found, where it stands in the text. References are to be put in while it is open."""
    for entry in error.errors():
        if findings.are_many:
            return
        path, kind, context = entry["loc"], entry["type"], entry.get("ctx", {})
        about_key = kind == KEY or path[-1:] == ("[key]",)
        if path[-1:] == ("[key]",):
            path = path[:-1]
        found = node.at(path)
        # What is in a list or a mapping has an error of its own.
        refers = isinstance(found.value, str) and has_references(found.value)
        if is_open and refers and not about_key:
            continue
        place = node.at(path[:-1]).keys.get(str(path[-1]), found.place) if about_key else found.place
        if "unknown" in context:
            findings.add_unknown(place, *context["unknown"])
            continue
        named = [name for name in (part, *path) if isinstance(name, str) and not name.startswith("[")]
        message = str(context.get("message", entry["msg"].removeprefix("Value error, ")))
        if kind in _WORDS or kind == "says":
            message = f"{named[-1]} {_WORDS.get(kind, message)}"
        elif kind not in _SENTENCES:
            message = f"{named[-1]}: {message}"
        findings.add(place, message, context.get("nearest"))
