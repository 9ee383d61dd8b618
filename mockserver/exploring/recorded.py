"""What the projects of a recording show, for linting and error coverage without a run."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mockserver.api.call import Request
from mockserver.replay.player import Player
from mockserver.replay.targets import CannotReplay, InProcess
from mockserver.server.recording.reading import BadRecording
from mockserver.state.project import Project


class RecordedProject(NamedTuple):
    """A project after a recording."""

    name: str
    entries: list[dict[str, Any]]
    """What its journal has."""
    met: dict[str, list[str]]
    """Which unhappy paths it has met, by operation."""


def read_projects(file: Path) -> Iterator[RecordedProject]:
    """Each project of a recording. ValueError, OSError."""
    with file.open("rb") as opened:
        try:
            target = InProcess()
            player = Player(opened, target)
            # What differs is for `replay` to say: all that counts here is what was asked.
            for _ in player.play():
                pass
        except (BadRecording, CannotReplay) as error:
            raise ValueError(f"{file}: {error}") from None
    pipeline = target.app.pipeline

    def ask(project: Project, path: str, query: str = "") -> Any:
        request = Request("GET", f"/_mock/projects/{project.id}/{path}", query, {}, is_step=True)
        return json.loads(pipeline.finish(pipeline.answer_unobserved(request)).body)

    for project in list(pipeline.world):
        entries = ask(project, "journal", "limit=100000&unmasked=true")["data"]
        yield RecordedProject(project.name, entries, ask(project, "error-coverage")["met"])
