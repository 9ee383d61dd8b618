"""Projects and their settings."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from typing import Annotated, Any

from pydantic import Field, ValidationError
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.settings import SETTINGS, exact_number, setting_findings
from mockserver.api.values import to_json
from mockserver.api.wire import adapter, summary
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.kernel.secrecy import Like, Token
from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.responses.lists import DEFAULT_LIMIT, page_limit
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import (
    ControlBody,
    DeletedAnswer,
    ListAnswer,
    ListQuery,
    invalid,
    list_answer,
)
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.world.clock import ClockAnswer, SetClock, clock_answer
from mockserver.state.api_keys import KEY_NAME, ApiKey, pattern_of
from mockserver.state.project import Project
from mockserver.state.settings import Settings
from mockserver.state.world import EPOCH_MS, ProjectDefaults, World

projects = ControlGroup("Projects", below="/_mock")
settings = ControlGroup("Settings")

ProjectName = Annotated[str, Field(pattern=f"^{KEY_NAME}$")]
SecretKey = Annotated[Token, Field(pattern=pattern_of("sk"))]
PublishableKey = Annotated[Token, Field(pattern=pattern_of("pk"))]
Seed = Annotated[str, Field(min_length=1, max_length=256)]
_MOST_HINTS = 20
_NAME_HEADER = "x-mockserver-name"

Scope = Annotated[str, Field(min_length=1, max_length=128)]


AnySettings = Annotated[dict[str, Any], Like(Settings)]


class CreateProject(ControlBody):
    """A project to create; every member is optional. A given key determines the name and the mode.

    Members of `clock` that are missing are as in the server's other projects. A clock that is to be frozen
    where those tick from the real time shows the beginning of 2026.
    """

    name: ProjectName | None = None
    livemode: bool | None = None
    seed: Seed | None = None
    secret_key: SecretKey | None = None
    publishable_key: PublishableKey | None = None
    scopes: Annotated[list[Scope], Field(max_length=100)] | None = None
    settings: AnySettings | None = None
    clock: SetClock | None = None


class ProjectAnswer(TypedDict):
    """A project and its pair of API keys."""

    id: str
    name: str
    secret_key: Token
    publishable_key: Token
    scopes: list[str]
    livemode: bool
    declared: bool
    """False for a project that the first use of an undeclared key opened."""
    calls: int
    """How many calls of the API it has answered."""
    seed: str
    now: str
    clock: ClockAnswer


class ListProjectsQuery(ListQuery):
    """Which projects."""

    declared: bool | None = None
    """False for those that the first use of an undeclared key opened."""


@projects.operation(
    "POST /projects", "CreateProject", errors.CONTROL_KEY_TAKEN, errors.CONTROL_INVALID, status=201
)
def create_project(call: ControlCall[CreateProject, None, None]) -> ProjectAnswer:
    """Create a project with a pair of API keys."""
    body, world = call.body, call.world
    given = [ApiKey.parse(text) for text in (body.secret_key, body.publishable_key) if text is not None]
    livemode = _merge_modes(body.livemode, given)
    name = body.name or (given[0].name if given else _name_of_balancer(call.request.headers))
    check_keys_are_free(world, name, livemode, given)
    project = world.create(
        name=name, livemode=livemode, seed=body.seed, defaults=_project_defaults(world.defaults, body)
    )
    world.declare(project, body.secret_key or project.secret_key, "sk", frozenset(body.scopes or ()))
    world.declare(project, body.publishable_key or project.publishable_key, "pk")
    return project_answer(world, project)


@projects.operation("GET /projects", "ListProjects")
def list_projects(call: ControlCall[None, ListProjectsQuery, None]) -> ListAnswer[ProjectAnswer]:
    """List projects, oldest first."""
    query, world = call.query, call.world
    if query.declared is not None:
        found = (project for project in world if project.is_declared is query.declared)
        return list_answer(query, found, lambda project: project_answer(world, project))
    page = world.page(skip=query.skip, limit=page_limit(query, DEFAULT_LIMIT), order=query.order)
    return {"data": [project_answer(world, project) for project in page], "total": len(world)}


@projects.operation("GET /projects/{p}", "GetProject", errors.CONTROL_UNKNOWN_PROJECT)
def get_project(call: ControlCall) -> ProjectAnswer:
    """Retrieve a project."""
    return project_answer(call.world, call.project)


@projects.operation("DELETE /projects/{p}", "DeleteProject", errors.CONTROL_UNKNOWN_PROJECT)
def delete_project(call: ControlCall) -> DeletedAnswer:
    """Delete a project and its keys. The next use of an undeclared test key creates it again."""
    call.world.delete(call.project)
    return {"deleted": 1}


@projects.operation("POST /projects/{p}/reset", "ResetProject", errors.CONTROL_UNKNOWN_PROJECT)
def reset_project(call: ControlCall) -> ProjectAnswer:
    """Reset a project to how it was created: the same keys, seed, settings and start-up scenarios."""
    call.project.reset(call.world.real_ms)
    return project_answer(call.world, call.project)


def project_answer(world: World, project: Project) -> ProjectAnswer:
    """A project as answers show it."""
    keys = world.keys_of(project)
    secret_key = world.secret_key_of(project)
    return {
        "id": project.id,
        "name": project.name,
        "secret_key": secret_key,
        "publishable_key": [text for text, key in keys.items() if key.kind == "pk"][-1],
        "scopes": sorted(keys[secret_key].scopes),
        "livemode": project.livemode,
        "declared": project.is_declared,
        "calls": project.calls,
        "seed": project.seed,
        "now": timestamps.format_iso(project.clock.now_ms),
        "clock": clock_answer(project),
    }


def _name_of_balancer(headers: Mapping[str, str]) -> str | None:
    """The name that the balancer of a fleet has drawn: by it, it finds the project again."""
    name = headers.get(_NAME_HEADER)
    if name is not None and re.fullmatch(KEY_NAME, name) is None:
        raise invalid(_NAME_HEADER, "is no name of a project")
    return name


def _merge_modes(livemode: bool | None, keys: Iterable[ApiKey]) -> bool:
    """The mode of the keys and the member; 400 when they differ."""
    modes = {key.livemode for key in keys}
    if livemode is not None:
        modes.add(livemode)
    if len(modes) > 1:
        raise ApiError(errors.CONTROL_INVALID, summary="The keys and livemode name different modes.")
    return modes.pop() if modes else False


def check_keys_are_free(world: World, name: str | None, livemode: bool, keys: Iterable[ApiKey]) -> None:
    """409 when a project of the name, or with one of the keys, is there already."""
    named = () if name is None else (ApiKey("sk", livemode, name), ApiKey("pk", livemode, name))
    for key in (*named, *keys):
        if world.is_taken(key.text):
            raise ApiError(errors.CONTROL_KEY_TAKEN, key=key.text)


def _project_defaults(usual: ProjectDefaults, body: CreateProject) -> ProjectDefaults:
    changed = _merge_settings(usual.settings, body.settings or {}, "settings.")
    clock = body.clock
    if clock is None:
        return replace(usual, settings=changed)
    mode = clock.mode or usual.mode
    usual_ms = EPOCH_MS if usual.now_ms is None and mode == "frozen" else usual.now_ms
    return ProjectDefaults(
        now_ms=usual_ms if clock.now is None else clock.now,
        mode=mode,
        rate=clock.rate or usual.rate,
        settings=changed,
    )


@settings.operation("GET /settings", "GetSettings")
def get_settings(call: ControlCall) -> Settings:
    """Retrieve the settings of a project."""
    return call.project.settings


@settings.operation("PUT /settings", "ChangeSettings", errors.CONTROL_INVALID)
def change_settings(call: ControlCall[AnySettings]) -> Settings:
    """Change settings; the others stay as they are."""
    # Imported on first use, as it is most of what creating a project would otherwise import.
    from mockserver.domain.transactions import mining

    mining.change_settings(call.project, _merge_settings(call.project.settings, call.body))
    return call.project.settings


def _merge_settings(current: Settings, changes: Mapping[str, Any], prefix: str = "") -> Settings:
    """The settings with the changes; 400 for an unknown name or an invalid value.

    `prefix` is the path of the changes in the body, for the error.
    """
    # To build what validates them takes as long as all else that creates a first project.
    if not changes:
        return current
    unknown = [name for name in changes if name not in SETTINGS]
    # Finding the nearest name takes half a millisecond: the first ones will do.
    hints = {name: did_you_mean(nearest(name, SETTINGS)) for name in unknown[:_MOST_HINTS]}
    found: dict[str, dict[str, object]] = {
        name: {"message": f"is not a setting{hints.get(name, '')}"} for name in unknown
    }
    known = {
        name: exact_number(value) if name.endswith("_wei") else value
        for name, value in changes.items()
        if name in SETTINGS
    }
    try:
        # Validate as JSON: strict mode accepts a list for a tuple there, but not in Python.
        merged: Settings = adapter(Settings).validate_json(to_json(asdict(current) | known), strict=True)
    except ValidationError as error:
        found |= setting_findings(error)
    if found:
        placed = {prefix + name: finding for name, finding in found.items()}
        raise ApiError(
            errors.CONTROL_INVALID, summary=summary(placed), param=next(iter(placed)), details=placed
        )
    return merged
