"""What the projects of a recording show, for linting and error coverage without a run."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mockserver.api.call import Request
from mockserver.replay.player import Player
from mockserver.replay.shrinking.places import body_of
from mockserver.replay.shrinking.run import Run, read_run
from mockserver.replay.targets import CannotReplay, InProcess
from mockserver.server.answering.masking import endpoint_at
from mockserver.server.assembly import ROUTES
from mockserver.server.recording.loading import read_heads
from mockserver.server.recording.reading import BadRecording, Lines
from mockserver.state.project import Project


def read_projects(file: Path) -> Iterator[tuple[str, list[dict[str, Any]], dict[str, list[str]]]]:
    """Each project of a recording: its name, what its journal has, and which unhappy paths it has met.

    That of a real service is one, which has met none. ValueError, OSError.
    """
    with file.open("rb") as opened:
        try:
            meta, _ = read_heads(Lines(opened))
            opened.seek(0)
            if meta.source == "upstream":
                yield file.stem, [*_entries_of(read_run(opened))], {}
                return
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


def _entries_of(run: Run) -> Iterator[dict[str, Any]]:
    """The exchanges with a real service, as far as a journal would have them."""
    answers = run.answers()
    for number, request in run.requests().items():
        endpoint, _ = endpoint_at(ROUTES, request.method, request.path)
        answer = answers.get(number)
        yield {
            "n": number,
            "method": request.method,
            "path": request.path,
            "query": request.query,
            "operation": endpoint and endpoint.operation,
            "status": answer.status if answer else 0,
            "lost": answer is None,
            "hints": [],
            "request": {"headers": request.to_request().headers, "body": body_of(request)},
            "response": answer and {"body": body_of(answer)},
        }
