"""How a scenario names calls: by operation id, or by method and path."""

import re
from collections.abc import Mapping, Sequence

from mockserver.api.endpoint import Endpoint, Routes
from mockserver.scenario import fields
from mockserver.scenario.findings import Findings
from mockserver.scenario.references import without_references
from mockserver.scenario.schema import Pattern
from mockserver.scenario.tree import Node

_ANY = "*"
_STAGING = ("SetChainAddress", "SetBudget", "SetRecovery", "SubmitSolanaTransaction")
_PARAMETER = re.compile(r"\{[^{}/]*\}")
_WILD = re.compile(r"/?\*\*|\*|\{[^{}/]*\}")


def public(routes: Routes) -> Mapping[str, Endpoint]:
    """The operations a scenario is about, by id: all but the control API's."""
    return {name: found for name, found in routes.by_operation.items() if found.family.public}


def staging(routes: Routes) -> Mapping[str, Endpoint]:
    """The operations that steps may call, by id: the API's, and those with which a test sets a scene."""
    return {**public(routes), **{name: routes.by_operation[name] for name in _STAGING}}


def read_target(node: Node, routes: Routes, findings: Findings) -> Endpoint | None:
    """The endpoint that a step calls: `CreateContract`, or `GET /v1/contracts/${token.id}`."""
    text = fields.text(node, findings, "a call")
    if not text:
        return None
    operations = staging(routes)
    method, space, path = text.partition(" ")
    if not space:
        found = operations.get(text)
        if found is None:
            findings.add_unknown(node.place, "an operation", text, operations)
        return found
    templates = {f"{endpoint.method} {endpoint.path}": endpoint for endpoint in operations.values()}
    path = without_references(path.strip(), "x")
    found = templates.get(f"{method} {path}") or routes.find(path)[0].get(method)
    if found is None or found.operation not in operations:
        findings.add_unknown(node.place, "a method and path of the API", text, templates)
        return None
    return found


def read_patterns(node: Node, routes: Routes, findings: Findings) -> tuple[Pattern, ...]:
    """The calls a rule is about; a call that cannot be made is noted."""
    found = []
    for entry in fields.one_or_more(node, findings, "call"):
        pattern = _pattern(entry, routes, findings)
        if pattern is not None:
            found.append(pattern)
    return tuple(found)


def _pattern(node: Node, routes: Routes, findings: Findings) -> Pattern | None:
    text = fields.text(node, findings, "a call")
    if not text:
        return None
    operations = public(routes)
    method, space, path = text.partition(" ")
    if not space:
        if text not in operations:
            findings.add_unknown(node.place, "an operation", text, operations)
            return None
        return Pattern(text, text)
    methods = {endpoint.method for endpoint in operations.values()}
    if method not in methods and method != _ANY:
        findings.add_unknown(node.place, "a method of the API, nor * for any", method, sorted(methods))
        return None
    path = path.strip()
    if not any(
        method in (endpoint.method, _ANY) and _may_meet(path.split("/"), endpoint.path.split("/"))
        for endpoint in operations.values()
    ):
        templates = [f"{endpoint.method} {endpoint.path}" for endpoint in operations.values()]
        findings.add_unknown(node.place, "a method and path that any operation has", text, templates)
        return None
    return Pattern(text, None, None if method == _ANY else method, _form(path))


def _form(path: str) -> re.Pattern[str]:
    """`{id}` and `*` stand for anything within a segment, `**` for any number of segments."""
    wild = {"/**": "(?:/.*)?", "**": ".*", "*": "[^/]*"}
    form, end = "", 0
    for match in _WILD.finditer(path):
        form += re.escape(path[end : match.start()]) + wild.get(match[0], "[^/]+")
        end = match.end()
    return re.compile(form + re.escape(path[end:]))


def _may_meet(pattern: Sequence[str], template: Sequence[str]) -> bool:
    """Whether any path of a template fits a pattern; both in segments."""
    # Each set holds how many segments of the template may be used up so far.
    reached = {0}
    for segment in pattern:
        if "**" in segment:
            reached = set(range(min(reached), len(template) + 1)) if reached else set()
            continue
        form = _form(segment)
        reached = {
            used + 1
            for used in reached
            if used < len(template)
            and (_PARAMETER.fullmatch(template[used]) or form.fullmatch(template[used]))
        }
    return len(template) in reached
