"""What calls changed: rows, timers and draws, by name, each with a digest."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

import orjson

from mockserver.kernel.codec import codec_of
from mockserver.kernel.entropy import Entropy
from mockserver.kernel.table import HEAD
from mockserver.kernel.timers import Timer
from mockserver.kernel.undo import Change
from mockserver.state.history.changes import SETTINGS
from mockserver.state.project import Project
from mockserver.state.saved.encoding import Line, ProjectHead, encode_row, state_lines
from mockserver.state.settings import Settings

Changed = dict[str, str | int | None]
"""By name, such as `identity.users/usr_…`: a row's digest, a timer's time, a stream's draws; None if gone."""

ToBytes = Callable[[Iterable[Any]], Iterable[bytes]]
"""Makes of JSON values the bytes that their digests are taken of: `canonical`, or that without secrets."""

_ROW_DIGEST_SIZE = 6
_STATE_DIGEST_SIZE = 16


class ChangeDigests:
    """Collects what changes in the projects of a world."""

    def __init__(self, to_bytes: ToBytes) -> None:
        self._to_bytes = to_bytes
        self.pending: dict[Project, list[Change]] = {}
        """What has changed since it was last taken."""

    def note(self, project: Project, changes: Sequence[Change]) -> None:
        """Take changes that became permanent."""
        self.pending.setdefault(project, []).extend(changes)

    def take(self) -> dict[Project, Changed]:
        """What has changed since this was last called, as it is now."""
        taken, self.pending = self.pending, {}
        found = {each: dict(_name_changes(each, taken[each])) for each in taken if not each.is_put_away}
        for named in found.values():
            rows = {name: row for name, row in named.items() if isinstance(row, dict)}
            for name, raw in zip(rows, self._to_bytes(rows.values()), strict=True):
                named[name] = blake2b(raw, digest_size=_ROW_DIGEST_SIZE).hexdigest()
        return found


def _name_changes(project: Project, changes: Sequence[Change]) -> Iterator[tuple[str, Any]]:
    """What is in the place of each name now: a row or the settings as JSON, a time, a number of draws."""
    tables = {id(table): (name, table) for name, table in project.named_tables()}
    draws = project.entropy.draws()
    for holder, key, before, after in changes:
        if key == HEAD:
            continue
        if id(holder) in tables:
            name, table = tables[id(holder)]
            changed = before or after
            if changed is None:
                # Made and removed again by one step, as the fate of a rule is.
                continue
            row_id = changed.id
            row = table.get(row_id)
            yield f"{name}/{row_id}", None if row is None else encode_row(name, row)
        elif isinstance(key, Timer):
            yield f"timers/{key.kind} {key.row_id} {key.event} {key.number}", key.due_ms if after else None
        elif isinstance(holder, Entropy) and holder is project.entropy:
            yield f"draws/{key}", draws.get(key)
        elif key == SETTINGS:
            yield SETTINGS, codec_of(Settings).encode(project.settings)


class ProjectDigest:
    """The digest of all of a project but its events, its snapshots and the real time that it follows.

    It is taken of the lines of the current state, which are added.
    """

    def __init__(self, head: ProjectHead, to_bytes: ToBytes) -> None:
        self._to_bytes = to_bytes
        self._found = blake2b(digest_size=_STATE_DIGEST_SIZE)
        self.add([codec_of(ProjectHead).encode(head._replace(anchors=None))])

    def add(self, lines: Iterable[Line]) -> None:
        """Take lines."""
        for raw in self._to_bytes(lines):
            self._found.update(raw)

    def hexdigest(self) -> str:
        """The digest of what was added so far."""
        return self._found.hexdigest()


def project_digest(project: Project, head: ProjectHead, to_bytes: ToBytes) -> str:
    """The digest of a project as it is now."""
    found = ProjectDigest(head, to_bytes)
    found.add(state_lines(project.snapshot(), {}))
    return found.hexdigest()


class LinesDigest:
    """The digest of lines about projects, by which one that was altered in a file is found."""

    def __init__(self) -> None:
        self._found = blake2b(digest_size=_STATE_DIGEST_SIZE)

    def add(self, line: Line) -> None:
        """Take a line, unless it is about the server."""
        if "project" in line or "event" in line or "state" in line or "row" in line:
            self._found.update(canonical(line))

    def hexdigest(self) -> str:
        """The digest of what was added so far."""
        return self._found.hexdigest()


def canonical(value: Any) -> bytes:
    """The bytes of a JSON value that its digest is taken of: members in order of their names."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        # A lone surrogate, which a JSON escape can carry but UTF-8 cannot.
        return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
