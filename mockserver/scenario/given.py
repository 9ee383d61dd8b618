"""The `given` of a scenario: calls of the public API that set the scene."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from mockserver.api.checking import check_body, check_query
from mockserver.api.endpoint import Endpoint, Routes
from mockserver.errors import ApiError
from mockserver.scenario import fields
from mockserver.scenario.bodies import note_unknown_members
from mockserver.scenario.calls import read_target
from mockserver.scenario.findings import Findings, Place, shown
from mockserver.scenario.references import PROJECT, check_references, refers
from mockserver.scenario.schema import Step
from mockserver.scenario.tree import Node, written

_STEP = ("call", "path", "query", "headers", "body", "as")


def read_steps(node: Node, routes: Routes, findings: Findings) -> tuple[tuple[Step, ...], list[str]]:
    """The steps in the order they are taken, and the names under which they capture answers."""
    steps: list[Step] = []
    names: list[str] = []
    for entry in fields.items(node, findings, "given"):
        check_references(entry, names, findings)
        found = fields.members(entry, findings, "a step", _STEP)
        name = _capture_name(found["as"], names, findings) if "as" in found else None
        if name is not None:
            names.append(name)
        if "call" in found:
            endpoint = read_target(found["call"], routes, findings)
            if endpoint is not None:
                steps.append(_step(entry.place, endpoint, found, name, findings))
        elif isinstance(entry.value, dict):
            findings.add(entry.place, "a step has a call: an operation id, or a method and a path")
    return tuple(steps), names


def _capture_name(node: Node, names: list[str], findings: Findings) -> str | None:
    name = fields.text(node, findings, "a name")
    if name and not (name.isascii() and name.isidentifier()):
        findings.add(node.place, f"{shown(name)} is no name: letters, digits and _, not a digit first")
    elif name in names or name == PROJECT:
        findings.add(node.place, f"the name {shown(name)} is taken")
    return name or None


def _step(
    place: Place, endpoint: Endpoint, found: Mapping[str, Node], name: str | None, findings: Findings
) -> Step:
    step = Step(
        place,
        endpoint,
        found["call"],
        path=found.get("path"),
        query=found.get("query"),
        headers=found.get("headers"),
        body=found.get("body"),
        name=name,
    )
    if endpoint.handler is None:
        findings.add(step.target.place, f"{endpoint.operation} is declared but not built yet")
        return step
    _check_path(step, findings)
    _check_query(step, findings)
    _check_body(step, findings)
    if step.headers is not None:
        for header in fields.entries(step.headers, findings, "headers").values():
            fields.text(header, findings, "a header's value")
    return step


def spells_path(step: Step) -> bool:
    """Whether the step's call has the values of its path in it."""
    text = step.target.text or ""
    return " " in text and text.partition(" ")[2].strip() != step.endpoint.path


def named_parameters(step: Step) -> tuple[str, ...]:
    """What a path needs a value for. The project of the control API is the scenario's own."""
    return tuple(name for name in step.endpoint.parameters if name != "p")


def _check_path(step: Step, findings: Findings) -> None:
    wanted = () if spells_path(step) else named_parameters(step)
    found: Mapping[str, Node] = {}
    if step.path is not None:
        found = fields.members(step.path, findings, f"the path {step.endpoint.path}", wanted)
    for parameter in wanted:
        if parameter not in found:
            findings.add(
                step.target.place, f"the path {step.endpoint.path} needs a value: path: {{{parameter}: ...}}"
            )
        elif not fields.text(found[parameter], findings, parameter):
            findings.add(found[parameter].place, f"{parameter} is empty")


def _check_query(step: Step, findings: Findings) -> None:
    if step.query is None:
        return
    if step.endpoint.query is None:
        findings.add(step.query.place, f"{step.endpoint.operation} takes no query")
        return
    for member in fields.entries(step.query, findings, "a query").values():
        for value in fields.one_or_more(member, findings, "a member of a query"):
            fields.text(value, findings, "a member of a query")
    if step.endpoint.family.public:
        note_unknown_members(step.query, step.endpoint.query, "query", findings)
    if refers(step.query) or not isinstance(step.query.value, dict):
        return
    try:
        check_query(step.endpoint, encoded_query(step.query))
    except ApiError as refusal:
        note_refusal(refusal, step.query, step.query.place, findings)


def encoded_query(node: Node) -> str:
    """A query as it travels; a list repeats its name."""
    pairs: list[tuple[str, str]] = []
    for name, member in node.value.items():
        values = member.value if isinstance(member.value, list) else [member]
        pairs += [(name, written(value.value) if value.text is None else value.text) for value in values]
    return urlencode(pairs)


def encoded_body(node: Node | None) -> bytes:
    """A body as it travels."""
    if node is None:
        return b""
    return json.dumps(node.plain(), separators=(",", ":"), ensure_ascii=False).encode()


def _check_body(step: Step, findings: Findings) -> None:
    if step.body is not None and step.endpoint.body is None:
        findings.add(step.body.place, f"{step.endpoint.operation} takes no body")
        return
    if step.body is not None and step.endpoint.family.public:
        note_unknown_members(step.body, step.endpoint.body, "body", findings)
    try:
        check_body(step.endpoint, encoded_body(step.body), "application/json")
    except ApiError as refusal:
        note_refusal(refusal, step.body, step.target.place, findings)


def note_refusal(refusal: ApiError, node: Node | None, place: Place, findings: Findings) -> None:
    """Note what the API finds in a body or query, but not where a reference is still to be put in."""
    details: Mapping[str, Mapping[str, Any]] = refusal.details or {"": {"message": refusal.message}}
    for path, detail in details.items():
        found = node.at(path) if node is not None else None
        if found is None:
            findings.add(place, f"{path}: {detail['message']}" if path else str(detail["message"]))
        elif not refers(found):
            findings.add(found.place, f"{path}: {detail['message']}" if path else str(detail["message"]))
