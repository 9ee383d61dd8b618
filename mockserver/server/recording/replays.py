"""Loading a recording into a running server, and its replay there, step by step."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from io import BytesIO
from typing import Any, BinaryIO
from urllib.parse import parse_qsl

from mockserver import errors
from mockserver.api.call import Request
from mockserver.api.family import family_of
from mockserver.errors import ApiError
from mockserver.kernel.spelling import shorten
from mockserver.server.answering.control_call import RECORDING_PATH
from mockserver.server.answering.control_token import draw_control_token, is_same_token
from mockserver.server.answering.pipeline import Outcome, Pipeline
from mockserver.server.answering.render import error_response, without_body
from mockserver.server.recording.lines import to_line
from mockserver.server.recording.loading import Meta, empty_world, read_heads, read_projects
from mockserver.server.recording.mask import Mask
from mockserver.server.recording.opening import ServerHead
from mockserver.server.recording.reading import BadRecording, Lines
from mockserver.server.recording.stepper import Replay, ReplayTime
from mockserver.state.project import Project
from mockserver.state.saved.encoding import encode_row
from mockserver.state.world import World

REPLAY_HEADER = "x-mockserver-replay"
"""The header of the requests of a replay. All others are refused meanwhile, and it is taken off these.

It says what the recorded request came by, and has a secret, so that a page cannot claim to be on loopback.
"""

_MARK = "replay"

_MOST_NAMED = 5
_HARMLESS = ("/_mock/health", "/_mock/ready")
"""What orchestrators ask now and then."""


class Replays:
    """Puts the state of a recording in the place of what a server has. ApiError for what cannot be.

    A replay is a recording whose time and whose waiting calls go on by steps.
    """

    def __init__(self, pipeline: Pipeline) -> None:
        self._pipeline = pipeline
        self._read_real_ms = pipeline.world.read_real_ms
        """The server's own real time, while it has that of a recording."""
        self._access = pipeline.server.access
        """Who may use the server's control API, while it has the access of a recording."""
        self._secret = ""
        self.replay: Replay | None = None
        """Says when calls go on that wait, while a recording is replayed."""

    def load(self, raw: bytes, *, replace: bool) -> Mapping[str, str]:
        """Begin as a recording begins, and go on with the server's own time; the digests it had.

        With `replace` even if the projects are in use.
        """
        self._check_is_free(replace)
        world = self._pipeline.world
        _, coming, digests = self._read(BytesIO(raw), world.read_real_ms, self._check_options)
        world.take_over(coming)
        for project in world:
            project.clock.anchor(world.real_ms)
        return digests

    def take_in(self, file: BinaryIO, project_id: str | None = None, *, replace: bool = False) -> None:
        """Hold the projects with which a recording begins, beside the others that the server has.

        It may have but one if that is named. With `replace` even if a project with its id is in use.
        """
        self._check_is_not_followed()
        world = self._pipeline.world
        _, coming, _ = self._read(file, world.read_real_ms)
        ids = [project.id for project in coming]
        if project_id is not None and ids != [project_id]:
            reason = f"it is the state of {' and '.join(ids) or 'no project'}, not of {shorten(project_id)}"
            raise ApiError(errors.CONTROL_BAD_RECORDING, reason=reason)
        if not replace:
            _refuse_if_used([project for project in world.used_projects() if project.id in ids])
        try:
            world.take_in(coming)
        except ValueError as error:
            raise ApiError(errors.CONTROL_KEY_TAKEN, key=str(error)) from None

    def start(self, raw: bytes, *, replace: bool) -> bytes:
        """The same for a replay, with the time of the recording; the line `begin`, as it is now."""
        self._check_is_free(replace)
        world, time = self._pipeline.world, ReplayTime()
        (meta, head), coming, _ = self._read(BytesIO(raw), time.real_ms, self._check_options)
        world.take_over(coming)
        self._read_real_ms, world.read_real_ms = world.read_real_ms, time.real_ms
        self._access, self._pipeline.server.access = self._pipeline.server.access, head.access
        self._secret = draw_control_token()
        mask = Mask(self._pipeline, is_replay=True) if meta.masked else None
        self.replay = Replay(self._pipeline, time, mask)
        return _to_lines([{_MARK: self._secret}, self.replay.take()[-1]])

    def admit(self, request: Request) -> bool:
        """Whether a request is of the replay: it then is as if it came by what the recorded one came by."""
        given = request.headers.get(REPLAY_HEADER)
        if given is None:
            return False
        came_by = dict(parse_qsl(given, keep_blank_values=True))
        if not is_same_token(came_by.get(_MARK, ""), self._secret):
            return False
        request.headers = {name: value for name, value in request.headers.items() if name != REPLAY_HEADER}
        request.headers_size = None
        raw_name = REPLAY_HEADER.encode()
        request.raw_headers = [header for header in request.raw_headers if header[0].lower() != raw_name]
        request.header_count = len(request.raw_headers)
        request.client, request.server = came_by.get("client", ""), came_by.get("server", "")
        request.scheme, request.root_path = came_by.get("scheme", "http"), came_by.get("root_path", "")
        return True

    def answer_others(self, request: Request) -> Outcome:
        """The answer to a request that is not of the replay: what it changed would be a difference."""
        pipeline = self._pipeline
        if not (request.path.startswith(RECORDING_PATH) or request.path in _HARMLESS):
            refused = error_response(
                ApiError(errors.CONTROL_REPLAY), family_of(request.path), body=request.body
            )
            return without_body(refused) if request.method == "HEAD" else refused
        recorded, pipeline.server.access = pipeline.server.access, self._access
        try:
            return pipeline.answer_unobserved(request)
        finally:
            if self.replay is not None:
                pipeline.server.access = recorded

    def step(
        self,
        *,
        real_ms: int | None = None,
        resume: int | None = None,
        tick: str | None = None,
        end: bool = False,
    ) -> bytes:
        """Make a step, or none; the lines of what has happened since the last one."""
        replay = self._require_replay()
        replay.make(resume or 0, tick=tick, real_ms=real_ms)
        if end:
            replay.end()
        return _to_lines(replay.take())

    def row(self, project_id: str, place: str) -> Any:
        """The row at a place such as `identity.users/usr_…` as recordings have it, or None."""
        self._require_replay()
        return find_row(self._pipeline.world.get(project_id), place)

    def stop(self) -> None:
        """End the replay, idempotently. Time is real again, and calls that wait go on with it."""
        replay, self.replay = self.replay, None
        if replay is not None:
            self._pipeline.server.access = self._access
            replay.go_on(self._read_real_ms)

    def _require_replay(self) -> Replay:
        if self.replay is None:
            raise ApiError(errors.CONTROL_NO_REPLAY)
        return self.replay

    def _check_is_free(self, replace: bool) -> None:
        """Refuse while the server is being used otherwise."""
        self._check_is_not_followed()
        world = self._pipeline.world
        if any(project.waiting for project in world):
            raise ApiError(errors.CONTROL_RECORDING_WAITS)
        if not replace:
            _refuse_if_used(world.used_projects())

    def _check_is_not_followed(self) -> None:
        """Refuse while what happens is recorded, or is a replay."""
        if self.replay is not None:
            raise ApiError(errors.CONTROL_REPLAY)
        if self._pipeline.observer is not None:
            raise ApiError(errors.CONTROL_RECORDING)

    def _read(
        self,
        file: BinaryIO,
        real_ms: Callable[[], int],
        check: Callable[[ServerHead], None] = lambda head: None,
    ) -> tuple[tuple[Meta, ServerHead], World, dict[str, str]]:
        """The world in which a recording begins, beside that of the server. ApiError with 400 and 409."""
        try:
            lines = Lines(file)
            meta, head = read_heads(lines)
            check(head)
            world = empty_world(head, real_ms)
            return (meta, head), world, read_projects(lines, head, world, self._pipeline)
        except BadRecording as error:
            details: dict[str, dict[str, object]] = {
                f"line {error.place}": {"message": error.reason, "line": error.place}
            }
            raise ApiError(errors.CONTROL_BAD_RECORDING, reason=str(error), details=details) from None

    def _check_options(self, head: ServerHead) -> None:
        """Refuse other bounds of memory: those of a server are its operator's, and never a file's."""
        world = self._pipeline.world
        found = {
            "open_projects": (head.open_projects, world.open_projects.limit),
            "journal_bytes": (head.journal_bytes, world.histories.max_bytes),
        }
        here = asdict(self._pipeline.server.limits)
        found |= {name: (limit, here[name]) for name, limit in asdict(head.limits).items()}
        for name, (recorded, current) in found.items():
            if recorded != current:
                option = f"--{name.replace('_', '-')} {recorded}"
                raise ApiError(
                    errors.CONTROL_OTHER_OPTION, name=name, recorded=recorded, current=current, option=option
                )


def _refuse_if_used(used: Sequence[Project]) -> None:
    if used:
        names = ", ".join(f"{project.name} ({project.id})" for project in used[:_MOST_NAMED])
        more = f" and {len(used) - _MOST_NAMED} more" if len(used) > _MOST_NAMED else ""
        raise ApiError(errors.CONTROL_SERVER_IN_USE, projects=names + more)


def find_row(project: Project | None, place: str) -> Any:
    """The row at a place, such as `identity.users/usr_…`, as a JSON value; None if it is not there."""
    name, _, row_id = place.partition("/")
    tables = {} if project is None else dict(project.named_tables())
    row = tables[name].get(row_id) if name in tables else None
    return None if row is None else encode_row(name, row)


def _to_lines(lines: list[dict[str, Any]]) -> bytes:
    return b"".join(map(to_line, lines))
