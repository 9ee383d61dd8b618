"""The first lines of a recording: the server's options, and the complete state of its world."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from mockserver.kernel import timestamps
from mockserver.kernel.clock import Mode
from mockserver.kernel.codec import codec_of
from mockserver.scenario.running.start_up import StartUp
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.limits import RequestLimits
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.answering.server import Server
from mockserver.server.recording.lines import FORMAT, TOKEN
from mockserver.server.recording.mask import Mask
from mockserver.state.project import Project
from mockserver.state.saved.digests import ProjectDigest, ToBytes, canonical, project_digest
from mockserver.state.saved.encoding import DeclaredKey, Line, ProjectHead, project_lines
from mockserver.state.settings import Settings
from mockserver.state.world import ProjectDefaults, World
from mockserver.version import __version__


class ServerHead(NamedTuple):
    """The options of a server that matter for its answers."""

    seed: str
    strict_keys: bool
    """Whether it rejects test keys that are not declared."""
    open_projects: int
    """How many projects of undeclared keys it does not put away."""
    journal_bytes: int
    """How many bytes all histories take together."""
    limits: RequestLimits
    """How large requests may be."""
    needs_token: bool
    """Whether the control API needs a token, in whose place `control-token` is recorded."""
    allowed_hosts: frozenset[str]
    """The host names that the control API answers to besides those of loopback."""
    allowed_origins: frozenset[str]
    """The origins of pages that may use the control API."""
    names_seed: str
    """The seed of the names of projects that are created without one."""
    names_drawn: dict[str, int]
    """How many such names were drawn."""
    default_now_ms: int | None
    """The time at which clocks of new projects begin; null for the real time."""
    default_mode: Mode
    default_rate: float
    default_settings: Settings
    secret_names: tuple[str, ...] = ()
    """The names of members that are secrets, besides those that are known."""
    open_order: tuple[str, ...] = ()
    """The ids of the projects of undeclared keys that are not put away, the one used last at the end."""
    history_order: tuple[str, ...] = ()
    """The ids of the projects that have events, the one to which one was added last at the end."""

    @property
    def access(self) -> ControlAccess:
        """Who might use the control API; the token is what stands for it in the recording."""
        return ControlAccess(
            token=TOKEN if self.needs_token else None,
            allowed_hosts=self.allowed_hosts,
            allowed_origins=self.allowed_origins,
        )

    @property
    def defaults(self) -> ProjectDefaults:
        """The defaults of new projects."""
        return ProjectDefaults(
            self.default_now_ms, self.default_mode, self.default_rate, self.default_settings
        )


def opening_lines(
    pipeline: Pipeline, real_ms: int, mask: Mask, projects: Sequence[Project], source: str | None = None
) -> Iterator[Line]:
    """The format, when and by what the recording was made, the server, each of the projects.

    `source` says where the answers are from, if not from this server.
    """
    yield {"mockserver_recording": FORMAT}
    meta: Line = {"at": timestamps.format_iso(real_ms), "mockserver": __version__}
    meta |= {"source": source} if source else {}
    yield {"meta": meta | {"masked": True} if mask.is_masked else meta}
    world, server = pipeline.world, pipeline.server
    yield {"server": codec_of(ServerHead).encode(_server_head(server, projects))}
    found = {}
    for project in projects:
        was_put_away = project.is_put_away
        if was_put_away:
            project.take_out(is_counted=False)
        mask.learn_project(project, world.keys_of(project))
        head = head_of(world, project)
        digest = None if was_put_away else ProjectDigest(head, mask.to_bytes)
        watch = None if digest is None else digest.add
        yield from map(mask.hide_row, project_lines(project, head, mask.hide_event, watch))
        if digest is None:
            project.put_away()
        else:
            found[project.id] = digest.hexdigest()
    yield {"begin": {"digests": found}}


def _server_head(server: Server, projects: Sequence[Project]) -> ServerHead:
    world, control, defaults = server.world, server.access, server.world.defaults
    return ServerHead(
        seed=world.seed,
        strict_keys=world.strict_keys,
        open_projects=world.open_projects.limit,
        journal_bytes=world.histories.max_bytes,
        open_order=tuple(project.id for project in world.open_projects if project in projects),
        history_order=tuple(_history_order(world, projects)),
        limits=server.limits,
        secret_names=server.names.extra,
        needs_token=control.token is not None,
        allowed_hosts=control.allowed_hosts,
        allowed_origins=control.allowed_origins,
        names_seed=world.names_seed,
        names_drawn=dict(world.names.draws()),
        default_now_ms=defaults.now_ms,
        default_mode=defaults.mode,
        default_rate=defaults.rate,
        default_settings=defaults.settings,
    )


def _history_order(world: World, projects: Sequence[Project]) -> Iterator[str]:
    ids = {project.history: project.id for project in projects if not project.is_put_away}
    return (ids[history] for history in world.histories.order if history in ids)


def digests(world: World, projects: Iterable[Project], to_bytes: ToBytes | None = None) -> dict[str, str]:
    """The digests of the projects that are not put away, by id."""
    to_bytes = to_bytes or partial(map, canonical)
    return {
        project.id: project_digest(project, head_of(world, project), to_bytes)
        for project in projects
        if not project.is_put_away
    }


def head_of(world: World, project: Project) -> ProjectHead:
    """What a project is, apart from its state."""
    seed_project = project.seed_project
    return ProjectHead(
        id=project.id,
        name=project.name,
        livemode=project.livemode,
        created_as=project.created_as,
        keys=tuple(DeclaredKey(text, key.kind, key.scopes) for text, key in world.keys_of(project).items()),
        is_declared=project.is_declared,
        dropped_snapshots=project.dropped_snapshots,
        anchors=None if project.clock.mode == "frozen" else project.clock.anchors,
        history=project.history.head,
        start_up=seed_project.texts() if isinstance(seed_project, StartUp) else None,
    )
