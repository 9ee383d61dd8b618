"""What a tool is: what it takes, what it does to a server, what it answers.

Most tools are an operation of the control API (`tools.yaml`): they take what it declares. The others are
functions (`tasks.py`, `recordings.py`), whose parameters are read as members of a body are.
"""

import inspect
import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, Field, create_model

from mockserver.agents import recordings, tasks
from mockserver.agents.context import Context, ToolError
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import CONTROL
from mockserver.api.values import to_json
from mockserver.api.wire import check_body
from mockserver.errors import ApiError
from mockserver.kernel.secrecy import KNOWN_NAMES
from mockserver.kernel.spelling import describe_unknown, did_you_mean
from mockserver.server.answering.control_token import TOKEN_VARIABLE
from mockserver.server.answering.masking import Walker, plan_of_shape
from mockserver.server.assembly import ROUTES
from mockserver.server.openapi.schemas import describe_alone
from mockserver.testing.project import MockProject
from mockserver.yaml_files import read_yaml_file

Schema = dict[str, Any]
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
    run: Callable[[Context, Arguments], object]
    is_own: bool = False
    """Whether it is there only where the server of the tools runs beside its client."""


def _of_operation(
    name: str,
    operation: str,
    kind: Any,
    about: str,
    text: str | None = None,
    usual: Mapping[str, object] | None = None,
    given: Mapping[str, object] | None = None,
    shows: str = "",
) -> Tool:
    endpoint = ROUTES.by_operation[operation]
    defaults = {"limit": PAGE, **(usual or {})}

    @cache
    def schema() -> Schema:
        return _schema_of(endpoint, text, defaults)

    def run(context: Context, arguments: Arguments) -> object:
        known = schema()["properties"]
        _require_known(name, arguments, known)
        asked: Arguments = (
            {each: defaults[each] for each in defaults if each in known} | arguments | dict(given or {})
        )
        if isinstance(asked.get("limit"), int):
            asked["limit"] = min(asked["limit"], MOST_ENTRIES)
        project = asked.pop("project", None)
        path = endpoint.path.replace("{p}", context.project(project).id if "project" in known else "")
        content = None if text is None else _text_of(asked.pop(text, "")).encode("utf-8", "replace")
        query = {each: asked.pop(each) for each in _query_members(endpoint) if each in asked}
        answer = context.control.call(
            endpoint.method,
            path,
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

    return Tool(name, kind, lambda: f"{endpoint.summary} {about}", schema, run)


def _of_function(name: str, kind: Any, takes: Mapping[str, str], *, is_own: bool = False) -> Tool:
    """A tool that is a function of a context and of what it takes; its docstring describes it."""
    function = _FUNCTIONS[name]

    @cache
    def body() -> type[BaseModel]:
        _, *taken = inspect.signature(function).parameters.values()
        members: Any = {each.name: _member(each, takes) for each in taken}
        return create_model(name, **members)

    @cache
    def schema() -> Schema:
        made = describe_alone(body())
        members = {name: _plain(each) for name, each in made.get("properties", {}).items()}
        return {"type": "object", "properties": members, "required": made.get("required", [])}

    def run(context: Context, arguments: Arguments) -> object:
        _require_known(name, arguments, schema()["properties"])
        try:
            asked = dict(check_body(body(), CONTROL, to_json(arguments), "application/json"))
        except ApiError as error:
            raise ToolError(error.message, "correct the argument that is named") from None
        if "project" in asked:
            asked["project"] = context.project(asked["project"])
        return function(context, **asked)

    return Tool(name, kind, lambda: " ".join((function.__doc__ or "").split()), schema, run, is_own)


def _member(parameter: inspect.Parameter, takes: Mapping[str, str]) -> object:
    """A parameter as a member of a body; a project is named, and is the default one unless it is."""
    if parameter.name == "project":
        return Annotated[str | None, Field(description=PROJECT)], None
    default = ... if parameter.default is parameter.empty else parameter.default
    return Annotated[parameter.annotation, Field(description=takes[parameter.name])], default


def _require_known(tool: str, arguments: Arguments, known: Schema) -> None:
    for argument in arguments.keys() - known.keys():
        reason, near = describe_unknown(f"an argument of {tool}", argument, known)
        raise ToolError(reason + did_you_mean(near), "leave it out, or spell it like that")


def _text_of(value: object) -> str:
    """A text as it is; what models give as an object is YAML as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


# --- schemas --------------------------------------------------------------------------------------


def _query_members(endpoint: Endpoint) -> Schema:
    """The schemas of the members of an operation's query, by name."""
    members: Schema = {} if endpoint.query is None else describe_alone(endpoint.query)["properties"]
    return members


def _schema_of(endpoint: Endpoint, text: str | None, defaults: Mapping[str, object]) -> Schema:
    """What a tool takes that is an operation. Of a body with variants, all members of all of them."""
    body = {} if endpoint.body is None else describe_alone(endpoint.body)
    known = body.pop("$defs", {})
    variants = [known.pop(each["$ref"].rpartition("/")[2]) for each in body.pop("oneOf", ())] or [body]
    members = _query_members(endpoint) | ({} if text is None else {text: {"type": "string"}})
    for name in dict.fromkeys(name for each in variants for name in each.get("properties", ())):
        members[name] = _merge([each["properties"][name] for each in variants if name in each["properties"]])
    needed = [name for name in members if all(name in each.get("required", ()) for each in variants)]
    if "{p}" in endpoint.path:
        members["project"] = {"type": "string", "description": PROJECT}
    taken = {name: _plain(each) for name, each in members.items() if name not in _NOT_TAKEN}
    taken |= {name: {**taken[name], "default": defaults[name]} for name in taken.keys() & defaults.keys()}
    schema = {"type": "object", "properties": taken, "required": [text] if text else needed}
    return schema | ({"$defs": known} if known else {})


def _plain(schema: Schema) -> Schema:
    """The schema of an argument without null: leaving it out says the same, as all clients can."""
    choices = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    others = {name: each for name, each in schema.items() if name != "anyOf" and each is not None}
    return others | ({"anyOf": choices} if len(choices) > 1 else choices[0] if choices else {})


def _merge(found: list[Schema]) -> Schema:
    if len(found) > 1 and all("const" in each for each in found):
        return {"enum": [*dict.fromkeys(each["const"] for each in found)]}
    distinct = [each for place, each in enumerate(found) if each not in found[:place]]
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


_FUNCTIONS = {**vars(tasks), **vars(recordings)}
_DECLARED = read_yaml_file(Path(__file__).with_name("tools.yaml"))
TOOLS = {
    name: _of_operation(name, **row) if "operation" in row else _of_function(name, **row)
    for name, row in _DECLARED.items()
}
"""All tools by name."""
