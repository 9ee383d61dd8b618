"""The world: the projects of a server."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from mockserver.kernel.clock import Mode, Reading
from mockserver.kernel.entropy import Entropy
from mockserver.kernel.retention import JOURNAL_BYTES, OPEN_PROJECTS
from mockserver.kernel.table import Order
from mockserver.state.api_keys import TAG_LENGTH, ApiKey, KeyKind, tag_of
from mockserver.state.history.history import Histories
from mockserver.state.open_projects import OpenProjects
from mockserver.state.project import Project, ProjectState
from mockserver.state.settings import Settings

EPOCH_MS = 1_767_225_600_000
"""The default time of a frozen clock: 2026-01-01T00:00:00Z."""


class UnknownKey(LookupError):
    """No project has this key. `reason` is `malformed`, `undeclared` or `undeclared_live`."""

    def __init__(self, reason: Literal["malformed", "undeclared", "undeclared_live"]) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class KnownKey:
    """An API key that a project has."""

    project: Project
    kind: KeyKind
    scopes: frozenset[str] = frozenset()
    """What a secret key may do; empty means everything."""


@dataclass(frozen=True, slots=True)
class ProjectDefaults:
    """The defaults of new projects."""

    now_ms: int | None = EPOCH_MS
    """The initial time of its clock; None for the real time."""
    mode: Mode = "frozen"
    rate: float = 1.0
    settings: Settings = field(default_factory=Settings)


class World:
    """The projects of a server, by id and by key.

    `sk_test_x` and `pk_test_x` are keys of one project; `sk_live_x` is the same tenant in live mode, a
    project of its own. An undeclared test key creates its project on first use unless `strict_keys`; beyond
    `open_projects` of these the least recently used are put away until they are used again. All histories
    together take up to `journal_bytes`. Real time, which ticking clocks follow, comes in through
    `real_ms`, which is asked once in a step at most.
    """

    def __init__(
        self,
        seed: str = "mockserver",
        *,
        real_ms: Callable[[], int] = lambda: EPOCH_MS,
        strict_keys: bool = False,
        defaults: ProjectDefaults | None = None,
        open_projects: int = OPEN_PROJECTS,
        journal_bytes: int = JOURNAL_BYTES,
    ) -> None:
        self.seed = seed
        self.strict_keys = strict_keys
        self.read_real_ms = real_ms
        self.reading_ms: int | None = None
        """The real time that the present step, or the last one, has read; None if it has read none."""
        self.defaults = defaults or ProjectDefaults()
        # Keys of drawn names outlive a server: clients of an earlier one must not meet a project of this one.
        # A world that begins at a fixed time repeats, and so do its names.
        self.names_seed = seed if self.defaults.now_ms is not None else f"{seed}/{real_ms()}"
        self.names = Entropy(self.names_seed)
        """The entropy of the names that are drawn for projects."""
        self._projects: dict[str, Project] = {}
        self._keys: dict[str, KnownKey] = {}
        self._texts_of: dict[Project, dict[str, None]] = {}
        """The texts of each project's keys, in the order in which they were declared."""
        self._by_tag: dict[str, list[Project]] = {}
        self.open_projects = OpenProjects(open_projects)
        """The undeclared projects that are not put away."""
        self.histories = Histories(journal_bytes)

    def begin_step(self) -> None:
        """Begin a call, or another thing that happens at once: it reads the real time once at most."""
        self.reading_ms = None

    def real_ms(self) -> int:
        """The real time of the present step, in milliseconds since 1970."""
        if self.reading_ms is None:
            self.reading_ms = self.read_real_ms()
        return self.reading_ms

    def __iter__(self) -> Iterator[Project]:
        """Every project, oldest first. One that is put away has no rows; `get` takes it out."""
        return iter(list(self._projects.values()))

    def __len__(self) -> int:
        return len(self._projects)

    def page(self, *, skip: int, limit: int, order: Order) -> list[Project]:
        """Projects `skip` to `skip + limit`, oldest first unless asked otherwise; some may be put away."""
        rows = self._projects.values()
        return list(islice(rows if order == "asc" else reversed(rows), skip, skip + limit))

    def get(self, project_id: str) -> Project | None:
        """The project with this id, or None."""
        project = self._projects.get(project_id)
        return None if project is None else self._use(project)

    def key(self, text: str) -> KnownKey:
        """Resolve a key. An undeclared test key creates its project; UnknownKey for any other."""
        known = self._keys.get(text)
        if known is not None:
            if not known.project.is_declared:
                self.open_projects.use(known.project)
            return known
        try:
            key = ApiKey.parse(text)
        except ValueError:
            raise UnknownKey("malformed") from None
        if key.livemode:
            raise UnknownKey("undeclared_live")
        if self.strict_keys:
            raise UnknownKey("undeclared")
        pair = self._keys.get(key.counterpart.text)
        if pair is None:
            project = self.create(name=key.name)
            project.is_declared = False
        else:
            project = pair.project
            self.declare(project, text, key.kind)
        self._use(project)
        return self._keys[text]

    def _use(self, project: Project) -> Project:
        """The project, which is taken out if it was put away."""
        if not project.is_declared:
            self.open_projects.use(project)
        return project

    def is_taken(self, key: str) -> bool:
        """Whether a project has this key."""
        return key in self._keys

    def create(
        self,
        *,
        name: str | None = None,
        livemode: bool = False,
        seed: str | None = None,
        defaults: ProjectDefaults | None = None,
    ) -> Project:
        """Create a project and its pair of keys. ValueError when the name is taken in this mode.

        Without a name one is drawn that no project has in either mode.
        """
        name = name or self._draw_name()
        mode = "live" if livemode else "test"
        if self._is_name_taken(name, livemode):
            raise ValueError(ApiKey("sk", livemode, name).text)
        chosen = defaults or self.defaults
        now_ms = self.real_ms() if chosen.now_ms is None else chosen.now_ms
        project = Project(
            project_id=f"pro_{tag_of(name)}{Entropy(f'{mode}/{name}').uuid('pro')[TAG_LENGTH:]}",
            name=name,
            livemode=livemode,
            # A project's entropy depends on its name and not on when it was created, so that projects of
            # parallel tests behave as they would alone.
            seed=seed if seed is not None else f"{self.seed}/{mode}/{name}",
            clock=Reading(now_ms, chosen.mode, chosen.rate),
            settings=chosen.settings,
            histories=self.histories,
        )
        project.clock.restore(project.created_as[0], self.real_ms)
        project.begin_history()
        self.adopt(project)
        self.declare(project, project.secret_key, "sk")
        self.declare(project, project.publishable_key, "pk")
        return project

    def fork(self, source: Project, state: ProjectState, number: int, name: str | None) -> Project:
        """Create a project in a state of another one, whose history goes on after an event's number.

        A reset begins it as it does the other one. ValueError when the name is taken in this mode.
        """
        project = self.create(name=name, livemode=source.livemode)
        project.created_as, project.seed_project = source.created_as, source.seed_project
        project.restore(state, self.real_ms)
        project.begin_history()
        project.history.last_number = number
        return project

    def restore_names(self, names_seed: str, draws: Mapping[str, int]) -> None:
        """Draw the names of projects as a world that has drawn so many."""
        self.names_seed = names_seed
        self.names = Entropy(names_seed)
        self.names.restore(draws)

    def take_over(self, other: "World") -> None:
        """Be what another world is, which is not used any more: its projects and keys, its options.

        All that was here is deleted. What reads real time stays.
        """
        for project in self:
            self.delete(project)
        self.seed, self.strict_keys, self.defaults = other.seed, other.strict_keys, other.defaults
        self.names_seed, self.names = other.names_seed, other.names
        other.histories.follower = self.histories.follower
        other.histories.timer_handlers = self.histories.timer_handlers
        self.open_projects, self.histories = other.open_projects, other.histories
        self._projects, self._keys = other._projects, other._keys
        self._texts_of, self._by_tag = other._texts_of, other._by_tag

    def take_in(self, other: "World") -> None:
        """Hold the projects of another world, which is not used any more, in the place of any with their ids.

        And of unused ones with their keys, since versions may draw ids otherwise. ValueError with the first
        key that a project has which stays; nothing has changed then.
        """
        coming = {project: other.keys_of(project) for project in other}
        leaving = dict.fromkeys(filter(None, map(self._projects.get, other._projects)))
        for text in (text for keys in coming.values() for text in keys if text in self._keys):
            holder = self._keys[text].project
            if holder not in leaving:
                if not holder.is_as_begun:
                    raise ValueError(text)
                leaving[holder] = None
        for project in leaving:
            self.delete(project)
        for project, keys in coming.items():
            project.move(self.histories)
            self.adopt(project)
            for text, key in keys.items():
                self.declare(project, text, key.kind, key.scopes)
            project.clock.anchor(self.real_ms)
            self._use(project)

    def note_beginning(self) -> None:
        """Take the projects as they are for those that the server began with."""
        for project in self:
            project.note_beginning()

    def used_projects(self) -> list[Project]:
        """The projects that were made or changed since the server began, and not reset."""
        return [project for project in self if not project.is_as_begun]

    def adopt(self, project: Project) -> None:
        """Hold a project, which has no keys yet."""
        self._projects[project.id] = project
        self._texts_of[project] = {}
        self._by_tag.setdefault(project.token_tag, []).append(project)

    def _draw_name(self) -> str:
        # An undeclared key may have opened a project of any name, one that will be drawn included.
        while True:
            name = self.names.uuid("project")
            if not (self._is_name_taken(name, livemode=False) or self._is_name_taken(name, livemode=True)):
                return name

    def _is_name_taken(self, name: str, livemode: bool) -> bool:
        key = ApiKey("sk", livemode, name)
        return key.text in self._keys or key.counterpart.text in self._keys

    def declare(
        self, project: Project, key: str, kind: KeyKind, scopes: frozenset[str] = frozenset()
    ) -> None:
        """Add a key to a project; ValueError for a key of another project."""
        holder = self._keys.get(key)
        if holder is not None and holder.project is not project:
            raise ValueError(key)
        self._keys[key] = KnownKey(project, kind, scopes)
        self._texts_of[project][key] = None

    def withdraw(self, key: str) -> None:
        """Remove a key from its project; an unknown one is a KeyError."""
        known = self._keys.pop(key)
        del self._texts_of[known.project][key]

    def keys_of(self, project: Project) -> dict[str, KnownKey]:
        """The keys of a project, by their text."""
        return {text: self._keys[text] for text in self._texts_of[project]}

    def secret_key_of(self, project: Project) -> str:
        """The secret key of a project that was declared last: the one that its maker gave, if any."""
        return [text for text, key in self.keys_of(project).items() if key.kind == "sk"][-1]

    def may_have_issued(self, token: str) -> Sequence[Project]:
        """The projects whose tokens begin as this one does: those of a name, nearly always."""
        return [self._use(project) for project in self._by_tag.get(token[:TAG_LENGTH], ())]

    def delete(self, project: Project) -> None:
        """Delete a project and its keys."""
        project.is_deleted = True
        project.interrupt_waits()
        if not project.is_put_away:
            project.history.leave()
        self.open_projects.forget(project)
        del self._projects[project.id]
        for text in self._texts_of.pop(project):
            del self._keys[text]
        self._by_tag[project.token_tag].remove(project)
        if not self._by_tag[project.token_tag]:
            del self._by_tag[project.token_tag]
