"""What a tool is: what it takes, what it does to a server, what it answers.

Most tools are an operation of the control API (`tools.yaml`): they take what it declares. The others are
functions (`tasks.py`), whose parameters are read as members of a body are.
"""

import inspect
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel, Field, create_model

from mockserver.agents import tasks
from mockserver.agents.context import Context, ToolError
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import CONTROL
from mockserver.api.values import to_json
from mockserver.api.wire import check_body
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import KNOWN_NAMES
from mockserver.kernel.spelling import say_unknown
from mockserver.server.answering.control_token import TOKEN_VARIABLE
from mockserver.server.answering.masking import Walker, plan_of_shape
from mockserver.server.assembly import ROUTES
from mockserver.server.openapi.components import Schema
from mockserver.server.openapi.schemas import describe_alone, without_null
from mockserver.testing.project import MockProject
from mockserver.yaml_files import read_yaml_file

Arguments = dict[str, Any]

PAGE = 20
"""How many entries of a list a tool shows unless more are asked for."""
MOST_ENTRIES = 100
_LONGEST_WAIT_S = 330
_NOT_TAKEN = frozenset({"unmasked", "mask", "projects"})
"""What no tool takes: secrets are hidden from agents, and a recording is that of the server."""
PROJECT = "The name or id of a project; the project `default` unless given."


class Tool(NamedTuple):
    """A tool."""

    name: str
    kind: Literal["reads", "adds", "destroys"]
    """What it does to the server."""
    describe: Callable[[], str]
    schema: Callable[[], Schema]
    """Makes the JSON Schema of its arguments, which imports much."""
    work: Callable[[Context, MockProject | None, Arguments], object]
    is_own: bool = False
    """Whether it is there only where the server of the tools runs beside its client."""

    def run(self, context: Context, arguments: Arguments) -> object:
        """What it answers. ToolError for arguments that it does not take."""
        known = self.schema()["properties"]
        for argument in arguments.keys() - known.keys():
            reason = say_unknown(f"an argument of {self.name}", argument, known)
            raise ToolError(reason, "leave it out, or spell it like that")
        given = {each: value for each, value in arguments.items() if each != "project"}
        project = context.project(arguments.get("project")) if "project" in known else None
        return self.work(context, project, given)


def _of_operation(
    name: str,
    operation: str,
    kind: Any,
    about: str,
    text: str | None = None,
    usual: Mapping[str, object] = {},
    given: Mapping[str, object] = {},
    shows: str = "",
) -> Tool:
    """A tool that is an operation of the control API; `tools.yaml` says what the other members are."""
    endpoint = ROUTES.by_operation[operation]
    defaults = {"limit": PAGE, **usual}

    @cache
    def schema() -> Schema:
        members = _query_members(endpoint) | ({} if text is None else {text: {"type": "string"}})
        made = _schema_of(members, endpoint.body, defaults, is_of_project="{p}" in endpoint.path)
        return made if text is None else {**made, "required": [text]}

    def work(context: Context, project: MockProject | None, arguments: Arguments) -> object:
        known = schema()["properties"]
        usual_here = {each: defaults[each] for each in defaults if each in known}
        asked: Arguments = {**usual_here, **arguments, **given}
        if isinstance(asked.get("limit"), int):
            asked["limit"] = min(asked["limit"], MOST_ENTRIES)
        content = None if text is None else _text_of(asked.pop(text, "")).encode("utf-8", "replace")
        query = {each: asked.pop(each) for each in _query_members(endpoint) if each in asked}
        answer = context.control.call(
            endpoint.method,
            endpoint.path.replace("{p}", project.id if project else ""),
            params=query,
            json=None if endpoint.body is None else asked,
            content=content,
            headers=None if endpoint.reads is None else {"content-type": endpoint.reads},
            timeout_s=_LONGEST_WAIT_S,
        )
        hidden = Walker(KNOWN_NAMES, asked=False).value(answer, plan_of_shape(endpoint.answer))
        if shows == "environment":
            # The keys are of this server alone, and its clients need them.
            env = MockProject(context.control, answer).env
            return {"project": hidden, "env": {each: env[each] for each in env if each != TOKEN_VARIABLE}}
        return answer if shows == "secrets" else hidden

    return Tool(name, kind, lambda: f"{endpoint.summary} {about}", schema, work)


def _of_function(name: str, kind: Any, takes: Mapping[str, str], *, is_own: bool = False) -> Tool:
    """A tool that is a function of a context and of what it takes; its docstring describes it."""
    function = getattr(tasks, name)
    parameters = inspect.signature(function).parameters

    @cache
    def body() -> type[BaseModel]:
        members: Any = {}
        for each in (parameters[taken] for taken in takes):
            default = ... if each.default is each.empty else each.default
            members[each.name] = each.annotation, Field(default, description=takes[each.name])
        return create_model(name, **members)

    @cache
    def schema() -> Schema:
        return _schema_of({}, body(), {}, is_of_project="project" in parameters)

    def work(context: Context, project: MockProject | None, arguments: Arguments) -> object:
        try:
            asked = check_body(body(), CONTROL, to_json(arguments), "application/json")
        except ApiError as error:
            raise ToolError(error.message, "correct the argument that is named") from None
        of_project = {} if project is None else {"project": project}
        return function(context, **of_project, **dict(asked))

    return Tool(name, kind, lambda: " ".join((function.__doc__ or "").split()), schema, work, is_own)


def _text_of(value: object) -> str:
    """A text as it is; what models give as an object is YAML as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


# --- schemas --------------------------------------------------------------------------------------


def _query_members(endpoint: Endpoint) -> Schema:
    """The schemas of the members of an operation's query, by name."""
    members: Schema = {} if endpoint.query is None else describe_alone(endpoint.query)["properties"]
    return members


def _schema_of(members: Schema, body: Any, defaults: Mapping[str, object], *, is_of_project: bool) -> Schema:
    """What a tool takes: members, and those of a body. Of one with variants, all members of all of them."""
    described = {} if body is None else describe_alone(body)
    known = described.pop("$defs", {})
    refs = described.pop("oneOf", ())
    variants = [known.pop(each["$ref"].rpartition("/")[2]) for each in refs] or [described]
    for name in dict.fromkeys(name for each in variants for name in each.get("properties", ())):
        members[name] = _merge([each["properties"][name] for each in variants if name in each["properties"]])
    needed = [name for name in members if all(name in each.get("required", ()) for each in variants)]
    if is_of_project:
        members["project"] = {"type": "string", "description": PROJECT}
    taken = {name: _alone(each, known) for name, each in members.items() if name not in _NOT_TAKEN}
    taken |= {name: {**taken[name], "default": defaults[name]} for name in taken.keys() & defaults.keys()}
    return {"type": "object", "properties": taken, "required": needed}


def _alone(member: Schema, known: Mapping[str, Schema]) -> Schema:
    """A member whose type is said where it is: what is behind a reference some clients send as text."""
    schema = without_null(member)
    if "$ref" not in schema:
        return schema
    named = known[schema["$ref"].rpartition("/")[2]]
    return {**named, "properties": {name: without_null(each) for name, each in named["properties"].items()}}


def _merge(found: list[Schema]) -> Schema:
    if len(found) > 1 and all("const" in each for each in found):
        return {"type": "string", "enum": [*dict.fromkeys(each["const"] for each in found)]}
    distinct = [each for place, each in enumerate(found) if each not in found[:place]]
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


_DECLARED = read_yaml_file(Path(__file__).with_name("tools.yaml"))
TOOLS = {
    name: _of_operation(name, **row) if "operation" in row else _of_function(name, **row)
    for name, row in _DECLARED.items()
}
"""All tools by name."""
