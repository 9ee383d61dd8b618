"""What the projects of a recording show, for linting and error coverage without a run."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mockserver.api.call import Request
from mockserver.replay.player import Player
from mockserver.replay.targets import CannotReplay, InProcess
from mockserver.server.recording.reading import BadRecording
from mockserver.state.project import Project


def read_projects(file: Path) -> Iterator[tuple[str, list[dict[str, Any]], dict[str, list[str]]]]:
    """Each project of a recording: its name, what its journal has, and which unhappy paths it has met.

    ValueError, OSError.
    """
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
        yield project.name, entries, ask(project, "error-coverage")["met"]
