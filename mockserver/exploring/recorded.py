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
from mockserver.server.answering.envelopes import find_code
from mockserver.server.answering.masking import endpoint_at
from mockserver.server.assembly import ROUTES
from mockserver.server.control.history.coverage import ErrorCoverage
from mockserver.server.control.history.journal import parse_body
from mockserver.server.control.history.unhappy_paths import Met
from mockserver.server.recording.loading import read_heads
from mockserver.server.recording.reading import BadRecording, Lines
from mockserver.state.project import Project


def read_projects(file: Path) -> Iterator[tuple[str, list[dict[str, Any]], dict[str, list[str]]]]:
    """Each project of a recording: its name, what its journal has, and which unhappy paths it has met.

    That of a real service is one. ValueError, OSError.
    """
    with file.open("rb") as opened:
        try:
            meta, _ = read_heads(Lines(opened))
            opened.seek(0)
            if meta.source == "upstream":
                entries = [*_entries_of(read_run(opened))]
                yield file.stem, entries, _met_in(entries)
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
        asked, answer = request.to_request(), answers.get(number)
        yield {
            "n": number,
            "method": request.method,
            "path": request.path,
            "query": request.query,
            "operation": endpoint and endpoint.operation,
            "status": answer.status if answer else 0,
            "lost": answer is None,
            "hints": [],
            "request": {
                "headers": asked.headers,
                "body": parse_body(asked.body, asked.headers.get("content-type", "")),
            },
            "response": answer and {"body": body_of(answer)},
        }


def _met_in(entries: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The unhappy paths that exchanges with a real service show, by operation."""
    coverage = ErrorCoverage(ROUTES.by_operation)
    for entry in entries:
        body = (entry["response"] or {}).get("body")
        outcome = body.get("status") if isinstance(body, dict) else None
        coverage.note(
            entry["operation"] or "", Met(entry["status"], None, False, False, find_code(body), outcome)
        )
    return coverage.answer()["met"]
