"""From the first lines of a recording to the world in which it begins."""

import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any, Literal, NamedTuple, TypeVar

from pydantic import ValidationError

from mockserver.api.values import to_json
from mockserver.api.wire import adapter
from mockserver.kernel.codec import Malformed, codec_of
from mockserver.scenario.checking.load import read
from mockserver.scenario.reading.findings import ScenarioError
from mockserver.scenario.running.apply import compile_again
from mockserver.scenario.running.start_up import StartUp
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.recording.opening import ServerHead
from mockserver.server.recording.reading import BadRecording, Lines
from mockserver.state.project import Project
from mockserver.state.saved.encoding import Line, ProjectHead, ProjectReader, empty_project, read_head
from mockserver.state.settings import Settings
from mockserver.state.world import World

T = TypeVar("T")

_MOST_BEGINNING = 2_000_000
"""How many lines come before the first request at most: every row is one, and takes memory."""


class Meta(NamedTuple):
    """When and by what a recording was made: all in which two recordings of the same run differ."""

    at: str
    """The real time at which it began, in ISO 8601."""
    mockserver: str
    """The version of the package."""
    masked: bool = False
    """Whether placeholders stand for the secrets that clients brought along."""
    source: Literal["mockserver", "upstream"] = "mockserver"
    """What answered: this server, or a real service that was recorded through the proxy."""


def read_heads(lines: Lines) -> tuple[Meta, ServerHead]:
    """What comes before the projects. BadRecording."""
    meta: Meta = _decode(lines, Meta, "meta")
    head: ServerHead = _decode(lines, ServerHead, "server")
    _check_settings(lines, head.default_settings)
    return meta, head


def empty_world(head: ServerHead, real_ms: Callable[[], int]) -> World:
    """The world of a recording without its projects; real time comes from `real_ms`."""
    world = World(
        head.seed,
        real_ms=real_ms,
        strict_keys=head.strict_keys,
        defaults=head.defaults,
        open_projects=head.open_projects,
        journal_bytes=head.journal_bytes,
    )
    world.restore_names(head.names_seed, head.names_drawn)
    return world


def read_projects(lines: Lines, head: ServerHead, world: World, pipeline: Pipeline) -> dict[str, str]:
    """Fill a world with the projects of a recording; their digests. BadRecording.

    Resets seed them by the pipeline, whose world may be another one until this is done.
    """
    histories = world.histories
    # Nothing is evicted while more projects are open than there were.
    histories.max_bytes = sys.maxsize
    while (line := lines.take()) is not None and "begin" not in line:
        _guard(lines, partial(_read_project, lines, line, world, pipeline))
    _arrange(head, world)
    histories.max_bytes = head.journal_bytes
    if line is None:
        raise lines.bad("the recording ends before its first request")
    begin = line["begin"] if isinstance(line["begin"], dict) else {}
    read = lines.digest.hexdigest()
    if begin.get("lines", read) != read:
        raise lines.bad("a line before was altered, or is missing; without `lines` here this is not checked")
    digests = begin.get("digests")
    return _guard(lines, partial(codec_of(dict[str, str]).decode, digests))


def _arrange(head: ServerHead, world: World) -> None:
    """Put away what was put away, and let the oldest of histories be the one that it was."""
    for project_id in head.open_order:
        world.get(project_id)
    open_projects = map(world.get, head.history_order)
    world.histories.arrange(project.history for project in open_projects if project is not None)


def _decode(lines: Lines, kind: Any, name: str) -> Any:
    line = lines.take()
    if line is None or name not in line:
        raise lines.bad(f"is to have {name}")
    return _guard(lines, partial(codec_of(kind).decode, line[name]))


def _guard(lines: Lines, make: Callable[[], T]) -> T:
    try:
        return make()
    except Malformed as error:
        raise lines.bad(str(error)) from None


def _read_project(lines: Lines, line: Line, world: World, pipeline: Pipeline) -> None:
    _require_whole(lines, line)
    head = read_head(line)
    if world.get(head.id) is not None:
        raise Malformed("the project comes twice", "project.id")
    project = empty_project(head, world.histories)
    _check_settings(lines, head.created_as[1])
    reader = ProjectReader(project, head, partial(compile_again, pipeline.server.routes))
    while (coming := lines.peek()) is not None and not ("project" in coming or "begin" in coming):
        if lines.place > _MOST_BEGINNING:
            raise lines.bad(f"the state in which it begins has more than {_MOST_BEGINNING} lines")
        lines.take()
        _require_whole(lines, coming)
        reader.read(coming)
        if "state" in coming:
            _check_settings(lines, reader.settings)
    reader.finish()
    _adopt(lines, world, pipeline, project, head)


def _require_whole(lines: Lines, line: Line) -> None:
    if "withheld" in line:
        raise lines.bad("was withheld, since it has a secret: the state in which it begins is not whole")


def _adopt(lines: Lines, world: World, pipeline: Pipeline, project: Project, head: ProjectHead) -> None:
    world.adopt(project)
    for key in head.keys:
        if world.is_taken(key.text):
            raise Malformed("the key comes twice", "project.keys")
        world.declare(project, key.text, key.kind, key.scopes)
    if {key.kind for key in head.keys} != {"sk", "pk"}:
        raise Malformed("are to be secret and publishable", "project.keys")
    if head.start_up is not None:
        try:
            scenarios = [read(each.text, each.source, pipeline.server.routes) for each in head.start_up]
        except ScenarioError as error:
            raise lines.bad(f"a scenario is not valid: {error}") from None
        project.seed_project = StartUp(pipeline.world, scenarios, pipeline.answer)
    # Its place among those that are held as they are, and perhaps put away for another one.
    world.get(project.id)


def _check_settings(lines: Lines, settings: Settings) -> None:
    try:
        adapter(Settings).validate_json(to_json(asdict(settings)), strict=True)
    except ValidationError as error:
        place = ".".join(map(str, error.errors()[0]["loc"]))
        raise BadRecording(lines.place, f"the setting {place} cannot have this value") from None
