"""The `rules` and `fates` of a scenario."""

from collections.abc import Mapping, Sequence
from typing import Any

from mockserver.api.endpoint import Routes
from mockserver.scenario import fields
from mockserver.scenario.conditions import read_when
from mockserver.scenario.findings import Findings
from mockserver.scenario.outcomes import read_fate, read_then
from mockserver.scenario.schema import Rule, Then, When
from mockserver.scenario.tree import Node

START = "start"
"""Where every project is to begin with."""


def read_rules(node: Node, scenario: str, routes: Routes, findings: Findings) -> tuple[Rule, ...]:
    """The rules, in the order of the file. A position that nothing leads to is noted."""
    entries = fields.items(node, findings, "rules")
    rules = tuple(
        _rule(entry, f"{scenario} #{number}", routes, findings) for number, entry in enumerate(entries, 1)
    )
    _check_positions(entries, rules, findings)
    return rules


def _rule(node: Node, default_name: str, routes: Routes, findings: Findings) -> Rule:
    found = fields.members(node, findings, "a rule", ("name", "when", "then"))
    if "then" not in found and isinstance(node.value, dict):
        findings.add(node.place, "a rule has a then: what happens")
    return Rule(
        name=fields.name(found["name"], findings, "name") if "name" in found else default_name,
        place=node.place,
        when=read_when(found["when"], routes, findings) if "when" in found else When(),
        then=read_then(found["then"], findings) if "then" in found else Then(),
    )


def _check_positions(entries: Sequence[Node], rules: Sequence[Rule], findings: Findings) -> None:
    reached = [START, *(rule.then.position for rule in rules if rule.then.position)]
    for entry, rule in zip(entries, rules, strict=True):
        for position in rule.when.positions:
            if position not in reached:
                place = entry.at("when.position").place
                findings.add_unknown(place, "a position that any rule leads to", position, reached)


def read_fates(node: Node, findings: Findings) -> tuple[Mapping[str, Any], ...]:
    """What will become of transactions to come, or of one by id."""
    fates = [read_fate(entry, findings, selecting=True) for entry in fields.items(node, findings, "fates")]
    return tuple(fate for fate in fates if fate is not None)
