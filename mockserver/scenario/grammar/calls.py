"""How a scenario names calls: by operation id, or by method and path."""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any, NamedTuple

from pydantic import PlainValidator, ValidationInfo, WithJsonSchema
from pydantic_core import PydanticCustomError

from mockserver.api.endpoint import RPC_METHOD, Endpoint, Routes
from mockserver.kernel.globs import Glob, read_glob
from mockserver.scenario.grammar.parts import misfit, read_text, routes_of, unknown
from mockserver.scenario.reading.references import without_references

OPERATION, SETUP_OPERATION, PROJECT_OPERATION = "operation", "setup-operation", "project-operation"
"""The formats, in the JSON Schema, of what names calls: of rules, of `given` and of `expect`."""

_ANY = "*"
_LONGEST_PATTERN = 1_000
"""What is remembered has to have a bound in bytes, too."""
_SETUP = (
    "AdvanceClock",
    "AnnounceImports",
    "ChangeSettings",
    "CreateFate",
    "ListOutbox",
    "DeployContract",
    "LoadChainState",
    "SetChainAddress",
    "SetBudget",
    "SetDeliveryFate",
    "SetRecovery",
    "SignAsUser",
    "SubmitSolanaTransaction",
)
_PARAMETER = re.compile(r"\{[^{}/]*\}")
_WILD = re.compile(r"\*|\{[^{}/]*\}")
_ANY_SEGMENTS = "**"
_NO_SEGMENT = Glob("/")


@lru_cache(maxsize=4)
def public_operations(routes: Routes) -> Mapping[str, Endpoint]:
    """The operations that rules are about, by id: all but the control API's."""
    return {name: found for name, found in routes.by_operation.items() if found.family.is_journaled}


@lru_cache(maxsize=4)
def setup_operations(routes: Routes) -> Mapping[str, Endpoint]:
    """The operations that steps may call, by id: the API's, and some of the control API that set up."""
    found = {name: routes.by_operation[name] for name in _SETUP if name in routes.by_operation}
    return {**_addressed(public_operations(routes)), **found}


@lru_cache(maxsize=4)
def project_operations(routes: Routes) -> Mapping[str, Endpoint]:
    """The operations that `expect` may call, by id: the API's, and those of the control API in a project."""
    return {name: found for name, found in _addressed(routes.by_operation).items() if _is_in_project(found)}


def _addressed(operations: Mapping[str, Endpoint]) -> dict[str, Endpoint]:
    """The operations that have an address of their own: all but the methods of JSON-RPC."""
    return {name: found for name, found in operations.items() if found.method != RPC_METHOD}


def _is_in_project(endpoint: Endpoint) -> bool:
    return endpoint.family.is_journaled or endpoint.path.startswith("/_mock/projects/{p}/")


FindOperations = Callable[[Routes], Mapping[str, Endpoint]]
"""Finds the operations that calls may be to, by id."""

OPERATIONS: Mapping[str, FindOperations] = {
    OPERATION: public_operations,
    SETUP_OPERATION: setup_operations,
    PROJECT_OPERATION: project_operations,
}
"""The operations that each format allows, by id."""


@lru_cache(maxsize=4)
def _templates(routes: Routes, find_operations: FindOperations) -> Mapping[str, Endpoint]:
    """Operations by method and path."""
    return {f"{endpoint.method} {endpoint.path}": endpoint for endpoint in find_operations(routes).values()}


def find_endpoint(
    text: str, routes: Routes, find_operations: FindOperations
) -> Endpoint | PydanticCustomError:
    """The endpoint that a step calls, `CreateContract` or `GET /v1/contracts/${token.id}`, or an error."""
    operations = find_operations(routes)
    method, space, path = text.partition(" ")
    if not space:
        return operations.get(text) or unknown("an operation", text, operations)
    templates = _templates(routes, find_operations)
    path = without_references(path.strip(), "x")
    found = templates.get(f"{method} {path}") or routes.find(path)[0].get(method)
    if found is None or found.operation not in operations:
        return unknown("a method and path of the API", text, templates)
    return found


PathPattern = tuple[Glob | None, ...]
"""The segments of a path; None stands for any number of them."""


class Pattern(NamedTuple):
    """Which calls are meant: an operation, or a method (None for any) and the form of a path."""

    text: str
    operation: str | None
    method: str | None = None
    path: PathPattern = ()
    operations: frozenset[str] = frozenset()
    """The operations that it may mean."""

    @property
    def literal(self) -> str | None:
        """The only path that it means, if that has no wildcards."""
        if self.operation is not None or any(part is None or part.rest for part in self.path):
            return None
        return "/".join(part.start for part in self.path if part is not None)

    def fits_path(self, segments: Sequence[str]) -> bool:
        """Whether a path, in segments, has this form."""
        place = number = 0
        # The last `**`, and how many segments are up to it and for it.
        retry: tuple[int, int] | None = None
        while number < len(segments):
            part = self.path[place] if place < len(self.path) else _NO_SEGMENT
            if part is None:
                retry = place, number
                place += 1
            elif part.matches(segments[number]):
                place, number = place + 1, number + 1
            elif retry is not None:
                retry = retry[0], retry[1] + 1
                place, number = retry[0] + 1, retry[1]
            else:
                return False
        return all(part is None for part in self.path[place:])


def _read_call_pattern(value: Any, info: ValidationInfo) -> Pattern:
    """The calls that a text names. One that names none of the API is an error."""
    text = read_text(value)
    if len(text) > _LONGEST_PATTERN:
        raise misfit(f"a pattern of calls has at most {_LONGEST_PATTERN} characters")
    return read_pattern(text, routes_of(info))


@lru_cache(maxsize=1024)
def read_pattern(text: str, routes: Routes) -> Pattern:
    """The calls that a text names; PydanticCustomError if it names none of the API."""
    operations = public_operations(routes)
    method, space, path = text.partition(" ")
    if not space:
        if text not in operations:
            raise unknown("an operation", text, operations)
        return Pattern(text, text, operations=frozenset([text]))
    by_form = _operations_by_form(routes)
    methods = {known for known, _ in by_form}
    if method not in methods and method != _ANY:
        raise unknown("a method of the API, nor * for any", method, sorted(methods))
    form = _read_path(path.strip())
    found = [
        endpoint.operation
        for (known, length), endpoints in by_form.items()
        if method in (known, _ANY) and (length == len(form) or None in form)
        for endpoint, segments in endpoints
        if _may_meet(form, segments)
    ]
    if not found:
        raise unknown("a method and path that any operation has", text, _templates(routes, public_operations))
    return Pattern(text, None, None if method == _ANY else method, form, frozenset(found))


@lru_cache(maxsize=4)
def _operations_by_form(routes: Routes) -> Mapping[tuple[str, int], Sequence[tuple[Endpoint, list[str]]]]:
    """The operations by method and by how many segments their paths have, with these."""
    found: dict[tuple[str, int], list[tuple[Endpoint, list[str]]]] = {}
    for endpoint in public_operations(routes).values():
        segments = endpoint.path.split("/")
        found.setdefault((endpoint.method, len(segments)), []).append((endpoint, segments))
    return found


CallPattern = Annotated[
    Pattern, PlainValidator(_read_call_pattern), WithJsonSchema({"type": "string", "format": OPERATION})
]
"""An operation id, or a method and a path with wildcards."""


def _read_path(path: str) -> PathPattern:
    """`{id}` and `*` stand for anything within a segment, `**` for any number of segments."""
    segments = path.split("/")
    if any(_ANY_SEGMENTS in segment and segment != _ANY_SEGMENTS for segment in segments):
        raise misfit("** stands for whole segments of a path, as in GET /v1/**")
    return tuple(None if segment == _ANY_SEGMENTS else read_glob(segment, _WILD) for segment in segments)


def _may_meet(pattern: PathPattern, template: Sequence[str]) -> bool:
    """Whether any path of a template, in segments, fits a pattern."""
    last = pattern[-1]
    if last is not None and not _may_be(last, template[-1]):
        return False
    # Each set holds how many segments of the template may be used up so far.
    reached = {0}
    for part in pattern:
        if part is None:
            reached = set(range(min(reached), len(template) + 1)) if reached else set()
            continue
        reached = {used + 1 for used in reached if used < len(template) and _may_be(part, template[used])}
    return len(template) in reached


def _may_be(part: Glob, segment: str) -> bool:
    """Whether a segment of a template can be what a part of a pattern means."""
    return part.matches(segment) or _PARAMETER.fullmatch(segment) is not None
