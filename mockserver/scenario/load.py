"""From the text of a YAML file to a scenario, or to everything that is wrong with it."""

from collections.abc import Callable, Mapping
from pathlib import PurePath
from typing import Any

from mockserver.api.endpoint import Routes
from mockserver.scenario import fields
from mockserver.scenario.compose import parse
from mockserver.scenario.findings import Findings
from mockserver.scenario.given import read_steps
from mockserver.scenario.references import check_references, refers
from mockserver.scenario.rules import read_fates, read_rules
from mockserver.scenario.schema import Scenario
from mockserver.scenario.surroundings import read_clock, read_keys, read_settings
from mockserver.scenario.tree import Node

PARTS = ("name", "about", "seed", "clock", "keys", "settings", "given", "fates", "rules")
"""The parts of a scenario, in the order in which they read best."""


def read(text: str, source: str, routes: Routes) -> Scenario:
    """The scenario of a text. Raises ScenarioError with everything that is wrong with it.

    `source` is what findings call the text, usually the path of its file.
    """
    findings = Findings(source)
    root = parse(text, findings)
    found = fields.members(root, findings, "a scenario", PARTS)
    if root.value == {} and not findings:
        findings.add(root.place, "the scenario is empty")
    scenario = _scenario(found, text, source, routes, findings)
    findings.stop_if_any()
    return scenario


def _scenario(
    found: Mapping[str, Node], text: str, source: str, routes: Routes, findings: Findings
) -> Scenario:
    def part(name: str, default: Any, read_part: Callable[[Node], Any]) -> Any:
        return read_part(found[name]) if name in found else default

    name = part("name", "", lambda node: fields.name(node, findings, "name")) or default_name(source)
    part("about", None, lambda node: fields.text(node, findings, "about"))
    given, captured = part("given", ((), []), lambda node: read_steps(node, routes, findings))
    for later in ("rules", "fates"):
        part(later, None, lambda node: check_references(node, captured, findings))
    return Scenario(
        name=name,
        source=source,
        text=text,
        routes=routes,
        seed=part("seed", None, lambda node: fields.text(node, findings, "seed")),
        clock=part("clock", None, lambda node: read_clock(node, findings)),
        keys=part("keys", (), lambda node: read_keys(node, routes, findings)),
        settings=part("settings", {}, lambda node: read_settings(node, findings)),
        given=given,
        fates=part("fates", (), lambda node: _later(node, findings, read_fates)),
        rules=part(
            "rules",
            (),
            lambda node: _later(node, findings, lambda tree, notes: read_rules(tree, name, routes, notes)),
        ),
        places={name: node.place for name, node in found.items()},
        unresolved={name: found[name] for name in ("rules", "fates") if refers(found.get(name))},
    )


def default_name(source: str) -> str:
    """What a scenario without a name is called: its file's name, without what files are marked with."""
    name = "".join(character if character.isprintable() else "?" for character in PurePath(source).stem)
    return name.strip()[:100] or "scenario"


def _later(node: Node, findings: Findings, read_part: Callable[[Node, Findings], Any]) -> Any:
    """Read a part in which references stand for values that are only known when it is loaded."""
    notes = Findings(findings.source)
    part = read_part(node, notes)
    open_places = {scalar.place for scalar in node.scalars() if refers(scalar)}
    findings.extend(notes, but_at=open_places)
    return part
