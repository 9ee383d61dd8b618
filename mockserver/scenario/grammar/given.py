"""The `given` of a scenario: calls of the API that set a project up."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from pydantic import AfterValidator, Field, ValidationInfo, WithJsonSchema
from pydantic_core import InitErrorDetails, PydanticCustomError

from mockserver.api.endpoint import Endpoint, Routes
from mockserver.api.values import to_json
from mockserver.errors import ApiError
from mockserver.kernel.spelling import quote
from mockserver.scenario.grammar.bodies import unknown_members
from mockserver.scenario.grammar.calls import SETUP_OPERATION, find_endpoint, setup_operations
from mockserver.scenario.grammar.parts import (
    KEY,
    OneOrMore,
    Part,
    Text,
    as_list,
    at,
    misfit,
    routes_of,
    says,
    unknown,
)
from mockserver.scenario.reading.findings import Findings, Place
from mockserver.scenario.reading.references import PROJECT, check_references, has_references
from mockserver.scenario.reading.tree import ABSENT, Node, member_of, split_path, write_scalar


def _check_capture(name: str) -> str:
    if not (name.isascii() and name.isidentifier()):
        raise misfit(f"{quote(name)} is no name: letters, digits and _, not a digit first")
    if name == PROJECT:
        raise misfit(f"the name {quote(name)} is taken")
    return name


def _not_empty(text: str) -> str:
    if not text:
        raise says("is empty")
    return text


CaptureName = Annotated[Text, AfterValidator(_check_capture)]


class Step(Part):
    """A call that sets the project up. References to answers that were captured before may stand in it."""

    what = "a step"

    call: Annotated[Text, WithJsonSchema({"type": "string", "format": SETUP_OPERATION})]
    """An operation id, or a method and a path."""
    path: dict[str, Annotated[Text, AfterValidator(_not_empty)]] | None = None
    """The values of the path's parameters."""
    query: dict[str, OneOrMore[Text]] | None = None
    headers: dict[str, Text] | None = None
    body: Any = None
    as_: Annotated[CaptureName | None, Field(alias="as")] = None
    """The name that captures the answer."""

    @staticmethod
    def operations(routes: Routes) -> Mapping[str, Endpoint]:
        """The operations that such a step may call, by id."""
        return setup_operations(routes)

    @classmethod
    def check(cls, members: Mapping[str, Any], info: ValidationInfo) -> Iterator[InitErrorDetails]:
        """The call has to be one that the operation takes."""
        call = members.get("call")
        if call is None or isinstance(call, (dict, list)):
            return
        routes = routes_of(info)
        endpoint = find_endpoint(write_scalar(call), routes, cls.operations)
        if isinstance(endpoint, PydanticCustomError):
            yield at(endpoint, "call")
        else:
            yield from _check_path(endpoint, write_scalar(call), members)
            yield from _check_query(endpoint, members)
            yield from _check_body(endpoint, members)


class SetupCall(NamedTuple):
    """A step that was read: what it calls, and where it says what."""

    endpoint: Endpoint
    node: Node
    name: str | None = None
    """Under which the answer is captured."""

    @property
    def place(self) -> Place:
        """Where the step stands."""
        return self.node.place

    def part(self, name: str) -> Node | None:
        """The member of the step with this name."""
        found: Node | None = self.node.value.get(name)
        return found

    @property
    def spells_path(self) -> bool:
        """Whether the values of the path stand in the call itself."""
        return _spells_path(self.endpoint, self.node.value["call"].text)


def read_calls(node: Node, routes: Routes) -> tuple[SetupCall, ...]:
    """The steps of a list in which nothing is wrong."""
    return tuple(read_call(step, routes, Step) for step in node.value)


def read_call(step: Node, routes: Routes, kind: type[Step]) -> SetupCall:
    """A step of a kind in which nothing is wrong."""
    endpoint = find_endpoint(step.value["call"].text, routes, kind.operations)
    assert isinstance(endpoint, Endpoint)
    return SetupCall(endpoint, step, step.value["as"].text if "as" in step.value else None)


def check_captures(node: Node, findings: Findings, earlier: Iterable[str] = ()) -> Collection[str]:
    """Note every reference to what no earlier step captures. The captured names, earlier ones, too."""
    names = dict.fromkeys(earlier)
    for step in node.value if isinstance(node.value, list) else ():
        check_references(step, names, findings)
        name = step.value.get("as") if isinstance(step.value, dict) else None
        if name is not None and name.text in names:
            findings.add(name.place, f"the name {quote(name.text)} is taken")
        elif name is not None and name.text:
            names[name.text] = None
    return names


def _spells_path(endpoint: Endpoint, call: str) -> bool:
    return " " in call and call.partition(" ")[2].strip() != endpoint.path


def named_parameters(endpoint: Endpoint) -> tuple[str, ...]:
    """What a path needs a value for. The project of the control API is the scenario's own."""
    return tuple(name for name in endpoint.parameters if name != "p")


def _check_path(endpoint: Endpoint, call: str, members: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    wanted = () if _spells_path(endpoint, call) else named_parameters(endpoint)
    given = members.get("path", {})
    for name in given if isinstance(given, dict) else ():
        if name not in wanted:
            yield at(unknown(f"part of the path {endpoint.path}", name, wanted, KEY), "path", name)
    for name in wanted:
        if isinstance(given, dict) and name not in given:
            yield at(misfit(f"the path {endpoint.path} needs a value: path: {{{name}: ...}}"), "call")


def _check_query(endpoint: Endpoint, members: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    if "query" not in members:
        return
    query = members["query"]
    if endpoint.query is None:
        yield at(misfit(f"{endpoint.operation} takes no query"), "query")
    elif isinstance(query, dict):
        if endpoint.family.public:
            yield from unknown_members(query, endpoint.query, "query")
        if not has_references(query):
            try:
                endpoint.read_query(encode_query(query))
            except ApiError as error:
                yield from _explain(error, query, "query")


def _check_body(endpoint: Endpoint, members: Mapping[str, Any]) -> Iterator[InitErrorDetails]:
    given = "body" in members
    body = members.get("body")
    if given and endpoint.body is None:
        yield at(misfit(f"{endpoint.operation} takes no body"), "body")
        return
    if endpoint.family.public:
        yield from unknown_members(body, endpoint.body, "body")
    try:
        endpoint.read_body(to_json(body) if given else b"", "application/json")
    except ApiError as error:
        yield from _explain(error, body, "body" if given else "call")


def encode_query(query: Mapping[str, Any]) -> str:
    """A query as it travels; a list repeats its name."""
    return urlencode(
        [(name, write_scalar(value)) for name, member in query.items() for value in as_list(member)]
    )


def _explain(error: ApiError, value: Any, part: str) -> Iterator[InitErrorDetails]:
    """What the API finds in a body or query, but not where a reference is still to be put in."""
    details: Mapping[str, Mapping[str, Any]] = error.details or {"": {"message": error.message}}
    for path, detail in details.items():
        parts = split_path(path)
        if not has_references(_value_at(value, parts)):
            message = f"{path}: {detail['message']}" if path else str(detail["message"])
            yield at(misfit(message), part, *parts)


def _value_at(value: Any, parts: Iterable[str]) -> Any:
    for part in parts:
        below = member_of(value, part)
        if below is ABSENT:
            break
        value = below
    return value
