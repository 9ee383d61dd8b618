"""Projects: each a world of its own for one test, or for one suite."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Annotated, Any, Literal, TypedDict

from pydantic import Field

from mockserver import errors
from mockserver.api.access import ANYBODY
from mockserver.api.endpoint import Group
from mockserver.api.shapes import DEFAULT_LIMIT
from mockserver.api.wire import PageQuery
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.server.control.clock import ClockAnswer, Moment, Rate, clock_answer
from mockserver.server.control.members import ControlBody, ControlQuery
from mockserver.server.control.settings import merged
from mockserver.server.control_call import ControlCall
from mockserver.state.api_keys import KEY_NAME, ApiKey, pattern_of
from mockserver.state.project import Project
from mockserver.state.world import ProjectDefaults, World

projects = Group("Projects")

ProjectName = Annotated[str, Field(pattern=f"^{KEY_NAME}$")]
SecretKey = Annotated[str, Field(pattern=pattern_of("sk"))]
PublishableKey = Annotated[str, Field(pattern=pattern_of("pk"))]
Seed = Annotated[str, Field(min_length=1, max_length=256)]
Scope = Annotated[str, Field(min_length=1, max_length=128)]


class BeginningClock(ControlBody):
    """How the project's clock starts; what is missing is as the server's other projects have it."""

    now: Moment | None = None
    mode: Literal["frozen", "ticking"] | None = None
    rate: Rate | None = None


class CreateProject(ControlBody):
    """A project to create. Everything may be left out; a key given names its project and its mode."""

    name: ProjectName | None = None
    livemode: bool | None = None
    seed: Seed | None = None
    secret_key: SecretKey | None = None
    publishable_key: PublishableKey | None = None
    scopes: Annotated[list[Scope], Field(max_length=100)] | None = None
    settings: dict[str, Any] | None = None
    clock: BeginningClock | None = None


class ListProjects(ControlQuery, PageQuery):
    """How the list is paged."""


class ProjectAnswer(TypedDict):
    """A project and the pair of keys to call it with."""

    id: str
    name: str
    secret_key: str
    publishable_key: str
    scopes: list[str]
    livemode: bool
    seed: str
    now: str
    clock: ClockAnswer


class ProjectList(TypedDict):
    """Some projects, and how many there are."""

    data: list[ProjectAnswer]
    total: int


class DeletedProject(TypedDict):
    """What a deletion answers."""

    id: str
    deleted: bool


@projects.endpoint(
    "POST",
    "/_mock/projects",
    "CreateProject",
    ANYBODY,
    status=201,
    errors=(errors.CONTROL_KEY_TAKEN, errors.CONTROL_INVALID),
)
def create_project(call: ControlCall[CreateProject, None, None]) -> ProjectAnswer:
    """Create a project with a pair of keys."""
    body, world = call.body, call.world
    given = [ApiKey.parse(text) for text in (body.secret_key, body.publishable_key) if text is not None]
    livemode = _livemode(body.livemode, given)
    name = body.name or (given[0].name if given else None)
    _refuse_taken(world, name, livemode, given)
    project = world.create(
        name=name, livemode=livemode, seed=body.seed, beginning=_beginning(world.beginning, body)
    )
    world.declare(project, body.secret_key or project.secret_key, "sk", frozenset(body.scopes or ()))
    world.declare(project, body.publishable_key or project.publishable_key, "pk")
    return _answer(world, project)


@projects.endpoint("GET", "/_mock/projects", "ListProjects", ANYBODY)
def list_projects(call: ControlCall[None, ListProjects, None]) -> ProjectList:
    """List projects, newest first."""
    query = call.query
    found = list(call.world)
    if query.order == "desc":
        found.reverse()
    limit = DEFAULT_LIMIT if query.limit is None else query.limit
    page = found[query.skip : query.skip + limit]
    return {"data": [_answer(call.world, project) for project in page], "total": len(found)}


@projects.endpoint(
    "GET", "/_mock/projects/{p}", "GetProject", ANYBODY, errors=(errors.CONTROL_UNKNOWN_PROJECT,)
)
def get_project(call: ControlCall) -> ProjectAnswer:
    """Retrieve a project."""
    return _answer(call.world, call.project)


@projects.endpoint(
    "DELETE", "/_mock/projects/{p}", "DeleteProject", ANYBODY, errors=(errors.CONTROL_UNKNOWN_PROJECT,)
)
def delete_project(call: ControlCall) -> DeletedProject:
    """Forget a project and its keys. A test key opens it anew on its next use."""
    call.world.delete(call.project)
    return {"id": call.project.id, "deleted": True}


@projects.endpoint(
    "POST",
    "/_mock/projects/{p}/reset",
    "ResetProject",
    ANYBODY,
    errors=(errors.CONTROL_UNKNOWN_PROJECT,),
)
def reset_project(call: ControlCall) -> ProjectAnswer:
    """Make a project as new: the same keys, seed, settings and start-up scenarios, and nothing else."""
    call.project.reset(call.world.real_ms())
    return _answer(call.world, call.project)


def _answer(world: World, project: Project) -> ProjectAnswer:
    keys = world.keys_of(project)
    secret_key = [text for text, key in keys.items() if key.kind == "sk"][-1]
    return {
        "id": project.id,
        "name": project.name,
        # The last one declared: the one that was asked for, if one was.
        "secret_key": secret_key,
        "publishable_key": [text for text, key in keys.items() if key.kind == "pk"][-1],
        "scopes": sorted(keys[secret_key].scopes),
        "livemode": project.livemode,
        "seed": project.seed,
        "now": timestamps.format_iso(project.clock.now_ms),
        "clock": clock_answer(project),
    }


def _livemode(asked: bool | None, keys: Iterable[ApiKey]) -> bool:
    """The mode the keys agree on; refused with 400 when they do not."""
    modes = {key.livemode for key in keys}
    if asked is not None:
        modes.add(asked)
    if len(modes) > 1:
        raise ApiError(errors.CONTROL_INVALID, summary="The keys and livemode do not agree on the mode.")
    return modes.pop() if modes else False


def _refuse_taken(world: World, name: str | None, livemode: bool, keys: Iterable[ApiKey]) -> None:
    named = () if name is None else (ApiKey("sk", livemode, name), ApiKey("pk", livemode, name))
    for key in (*named, *keys):
        if world.is_taken(key.text):
            raise ApiError(errors.CONTROL_KEY_TAKEN, key=key.text)


def _beginning(usual: ProjectDefaults, body: CreateProject) -> ProjectDefaults:
    settings = merged(usual.settings, body.settings or {}, "settings")
    clock = body.clock
    if clock is None:
        return replace(usual, settings=settings)
    return ProjectDefaults(
        now_ms=usual.now_ms if clock.now is None else clock.now,
        mode=clock.mode or usual.mode,
        rate=clock.rate or usual.rate,
        settings=settings,
    )
