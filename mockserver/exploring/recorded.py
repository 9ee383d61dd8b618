"""The journals of a recording, for linting and error coverage without a run."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mockserver.api.call import Request
from mockserver.replay.player import Player
from mockserver.replay.targets import CannotReplay, InProcess
from mockserver.server.recording.reading import BadRecording


def read_journals(file: Path) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The name of each project, and what its journal has after the recording. ValueError, OSError."""
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
    for project in list(pipeline.world):
        request = Request("GET", f"/_mock/projects/{project.id}/journal", "limit=100000", {}, is_step=True)
        answer = pipeline.finish(pipeline.answer_aside(request))
        yield project.name, json.loads(answer.body)["data"]
