"""How a scenario names calls: by operation id, or by method and path."""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema
from pydantic_core import PydanticCustomError

from mockserver.api.endpoint import Endpoint, Routes
from mockserver.scenario.parts import read_text, routes_of, unknown
from mockserver.scenario.references import without_references

_ANY = "*"
_REMEMBERED = 4
_SETUP = ("AnnounceImports", "SetChainAddress", "SetBudget", "SetRecovery", "SubmitSolanaTransaction")
_PARAMETER = re.compile(r"\{[^{}/]*\}")
_WILD = re.compile(r"/?\*\*|\*|\{[^{}/]*\}")


@lru_cache(maxsize=_REMEMBERED)
def public_operations(routes: Routes) -> Mapping[str, Endpoint]:
    """The operations a scenario is about, by id: all but the control API's."""
    return {name: found for name, found in routes.by_operation.items() if found.family.public}


def setup_operations(routes: Routes) -> Mapping[str, Endpoint]:
    """The operations that steps may call, by id: the API's, and some of the control API that set up."""
    return {**public_operations(routes), **{name: routes.by_operation[name] for name in _SETUP}}


def find_endpoint(text: str, routes: Routes) -> Endpoint | PydanticCustomError:
    """The endpoint that a step calls, `CreateContract` or `GET /v1/contracts/${token.id}`, or an error."""
    operations = setup_operations(routes)
    method, space, path = text.partition(" ")
    if not space:
        return operations.get(text) or unknown("an operation", text, operations)
    templates = {f"{endpoint.method} {endpoint.path}": endpoint for endpoint in operations.values()}
    path = without_references(path.strip(), "x")
    found = templates.get(f"{method} {path}") or routes.find(path)[0].get(method)
    if found is None or found.operation not in operations:
        return unknown("a method and path of the API", text, templates)
    return found


class Pattern(NamedTuple):
    """Which calls are meant: an operation, or a method (None for any) and the form of a path."""

    text: str
    operation: str | None
    method: str | None = None
    path: re.Pattern[str] | None = None


def _read_pattern(value: Any, info: ValidationInfo) -> Pattern:
    """The calls that a text names. One that names none of the API is an error."""
    text = read_text(value)
    operations = public_operations(routes_of(info))
    method, space, path = text.partition(" ")
    if not space:
        if text not in operations:
            raise unknown("an operation", text, operations)
        return Pattern(text, text)
    methods = {endpoint.method for endpoint in operations.values()}
    if method not in methods and method != _ANY:
        raise unknown("a method of the API, nor * for any", method, sorted(methods))
    path = path.strip()
    if not any(
        method in (endpoint.method, _ANY) and _may_meet(path.split("/"), endpoint.path.split("/"))
        for endpoint in operations.values()
    ):
        templates = [f"{endpoint.method} {endpoint.path}" for endpoint in operations.values()]
        raise unknown("a method and path that any operation has", text, templates)
    return Pattern(text, None, None if method == _ANY else method, _form(path))


CallPattern = Annotated[Pattern, PlainValidator(_read_pattern), WithJsonSchema({"type": "string"})]
"""An operation id, or a method and a path with wildcards."""


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
