"""A recording is data: files that are broken, altered or made to harm are refused with place and reason."""

import errno
import json
import os
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from httpx import Client

from mockserver.replay.player import Player
from mockserver.replay.targets import InProcess
from mockserver.server.edge.app import App
from mockserver.server.recording.file import RecordingFile
from mockserver.server.recording.reading import BadRecording
from mockserver.state.project import Project
from tests.descriptors import open_files
from tests.replay.runs import play
from tests.tables import cases

Line = dict[str, Any]


@pytest.fixture
def recorded(app: App, api: Client, project: Project) -> bytes:
    """A short recording that begins in the middle of a life."""
    api.post("/v1/contracts", json={"name": "T", "chainId": 80002, "address": "0x" + "a1" * 20})
    api.post(f"/_mock/projects/{project.id}/snapshots", json={"name": "before"})
    app.recordings.start()
    api.post("/v1/contracts", json={"name": "T", "chainId": 80002, "address": "0x" + "b2" * 20})
    api.post(f"/_mock/projects/{project.id}/snapshots/before/restore")
    api.get("/v1/contracts")
    api.request("HEAD", "/v1/contracts", headers=[("x-twice", "1"), ("x-twice", "2")])
    api.post("/v1/contracts", content=b"\xff\x00")
    app.recordings.stop()
    return app.recordings.read()


def test_a_recording_from_the_middle_of_a_life_suffices(recorded: bytes) -> None:
    player, found = play(recorded)
    assert (found, player.number, player.lines.is_torn) == ([], 5, False)


def test_headers_keep_order_and_bodies_their_bytes(recorded: bytes) -> None:
    requests = [line["request"] for line in map(json.loads, recorded.splitlines()) if "request" in line]
    assert [header for header in requests[3]["headers"] if header[0] == "x-twice"] == [
        ["x-twice", "1"],
        ["x-twice", "2"],
    ]
    assert requests[4]["body"] == {"base64": "/wA="}
    assert json.loads(requests[0]["body"])["name"] == "T"


def changed(recorded: bytes, number: int, change: Callable[[Line], None]) -> bytes:
    """The recording with one line changed: that with the answer to a request."""
    lines = [json.loads(line) for line in recorded.splitlines()]
    (line,) = [line for line in lines if line.get("n") == number and "answer" in line]
    change(line)
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def set_draw(line: Line) -> None:
    """Let a draw be another one."""
    (changes,) = line["changes"].values()
    changes["draws/con"] += 1


@cases(
    "number, change, part",
    (1, lambda line: line["answer"].update(body=line["answer"]["body"].replace("T", "U")), "body /name"),
    (1, lambda line: line["answer"].update(status=201), "status"),
    (1, lambda line: line["answer"]["headers"].append(["x-other", "1"]), "header x-other"),
    (1, set_draw, "draws/con"),
    (3, lambda line: line.update(now_ms=1), "clock"),
    (3, lambda line: line["answer"].update(delay_ms=5), "delay_ms"),
    (3, lambda line: line["answer"].update(fault="timeout"), "fault"),
)
def test_changes_are_located(recorded: bytes, number: int, change: Callable[[Line], None], part: str) -> None:
    _, found = play(changed(recorded, number, change))
    assert [each.exchange for each in found] == [number]
    assert found[0].differences[0].part.endswith(part)


def test_a_row_that_differs_is_shown_as_it_is(recorded: bytes) -> None:
    def change(line: Line) -> None:
        (changes,) = line["changes"].values()
        changes[next(name for name in changes if name.startswith("onchain.contracts/"))] = "0" * 12

    _, found = play(changed(recorded, 1, change))
    ((part, row),) = found[0].rows.items()
    assert "onchain.contracts/con_" in part
    assert row["name"] == "T"


def test_a_torn_last_line_is_left_out_and_said(recorded: bytes) -> None:
    player, found = play(recorded[:-20])
    assert (found, player.lines.is_torn, player.number) == ([], True, 5)


def test_a_request_without_an_answer_is_made_and_said(recorded: bytes) -> None:
    lines = recorded.splitlines(keepends=True)
    last = max(place for place, line in enumerate(lines) if b'"request"' in line)
    waits = json.loads(lines[last]) | {"waits": True}
    del waits["answer"]
    player, _ = play(b"".join([*lines[:last], json.dumps(waits).encode() + b"\n"]))
    assert player.unanswered == 5


FIRST = b'{"mockserver_recording":2}\n'
META = b'{"meta":{"at":"x","mockserver":"0.1.0"}}\n'


@cases(
    "content, message",
    (b"", "line 1: is not the first line of a recording"),
    (b"hello\n", "line 1: is not JSON, or is nested too deeply"),
    (b"[]\n", "line 1: is no JSON object"),
    (b'{"log": {"version": "1.2"}}\n', "line 1: is not the first line of a recording"),
    (b'{"mockserver_recording": true}\n', "line 1: is not the first line"),
    (
        b'{"mockserver_recording": 3}\n',
        "line 1: the format is 3, and this version of mockserver reads up to 2",
    ),
    (b"x" * 5000, "line 1: is longer than 1024 bytes"),
    (FIRST, "line 1: is to have meta"),
    (FIRST + b'{"meta":{"at":1}}\n', "line 2: mockserver: is missing"),
    (FIRST + META + b'{"server":{"seed":1}}\n', "line 3: "),
    (FIRST + b'{"meta":' + b"[" * 100 + b"]" * 100 + b"}\n", "line 2: is nested more than 64 deep"),
    (FIRST + b'{"meta":' + b"[" * 100_000 + b"]" * 100_000 + b"}\n", "line 2: is n"),
)
def test_what_is_no_recording_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(BadRecording) as refused:
        Player(BytesIO(content), InProcess())
    assert str(refused.value).startswith(message)


def test_an_endless_line_is_not_collected(recorded: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockserver.server.recording.reading.LONGEST_LINE", 2000)
    with pytest.raises(BadRecording, match="is longer than 2000 bytes"):
        list(Player(BytesIO(recorded + b'{"n": "' + b"x" * 5000), InProcess()).play())


@cases(
    "line, message",
    ({"n": 7, "request": {"method": "GET", "path": "/", "headers": []}}, "the exchange after 5 has the"),
    ({"n": 6, "request": {"method": "GET", "headers": []}}, "request.path: is missing"),
    ({"n": 6, "request": {"method": "GET", "path": "/", "headers": [["é\u1234", ""]]}}, "is no byte"),
    ({"n": 6, "request": {"method": "GET", "path": "/", "headers": [], "body": {"file": "x"}}}, "base64"),
    ({"n": 6, "answer": {"status": "ok", "headers": []}}, "answer.status: is to be a whole number"),
    ({"n": 6, "exec": "import os"}, "exec: is no member"),
)
def test_a_line_of_another_form_is_refused(recorded: bytes, line: Line, message: str) -> None:
    end = recorded.rindex(b'{"end"')
    with pytest.raises(BadRecording, match=message):
        play(recorded[:end] + json.dumps(line).encode() + b"\n")


def test_settings_that_no_project_can_have_are_refused(recorded: bytes) -> None:
    altered = recorded.replace(b'"settings":{}', b'"settings":{"snapshots_kept":-1}')
    with pytest.raises(BadRecording, match="the setting snapshots_kept cannot have this value"):
        Player(BytesIO(altered), InProcess())


def test_the_file_is_for_its_owner_only(tmp_path: Path, app: App) -> None:
    file = tmp_path / "run.jsonl"
    app.recordings.start(file)
    app.recordings.close()
    assert file.stat().st_mode & 0o077 == 0
    assert file.read_bytes().startswith(FIRST)


def test_a_full_disk_ends_it_and_no_answer(app: App, api: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    app.pipeline.server.on_failure = said.append
    app.recordings.start()
    whole = app.recordings.status().size
    write = os.write

    def full(descriptor: int, raw: bytes) -> int:
        if b'"answer"' in raw:
            write(descriptor, raw[:10])
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(descriptor, raw)

    monkeypatch.setattr("mockserver.server.recording.file.os.write", full)
    for _ in range(3):
        assert api.get("/v1/contracts").status_code == 200
    monkeypatch.undo()
    status = api.get("/_mock/recording/status").json()
    assert status == {
        "active": False,
        "exchanges": 0,
        "size": whole,
        "failure": "[Errno 28] No space left on device",
    }
    assert said == ["the recording has stopped: [Errno 28] No space left on device\n"]
    assert [*json.loads(app.recordings.read().splitlines()[-1])] == ["begin"]
    assert app.recordings.status().size == whole


def test_a_recording_has_a_largest_size() -> None:
    said: list[str] = []
    file = RecordingFile(None, said.append, most_bytes=100)
    for _ in range(9):
        file.write({"n": "x" * 40})
    assert file.failure == "it would be larger than 100 bytes"
    assert said == ["the recording has stopped: it would be larger than 100 bytes\n"]
    assert len(file.read()) == file.size <= 100
    file.close()


def test_a_file_that_is_closed_is_not_open_any_more(tmp_path: Path) -> None:
    before = open_files()
    file = RecordingFile(tmp_path / "run.jsonl", pytest.fail)
    assert open_files() == before + 1
    file.close()
    file.close()
    assert open_files() == before
