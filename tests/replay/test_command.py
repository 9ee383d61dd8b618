"""`mockserver replay`: its exit codes, its reports, and serving the state after an exchange."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from socket import socket
from typing import Any

import pytest
from httpx import Client
from starlette.testclient import TestClient

from mockserver import cli
from mockserver.replay import changelog
from mockserver.replay.changelog import entries_between
from mockserver.server.edge.app import App
from mockserver.server.recording.lines import FORMAT
from mockserver.state.project import Project
from tests.replay.runs import play
from tests.tables import cases


@pytest.fixture
def file(app: App, api: Client, project: Project, tmp_path: Path) -> Path:
    """A recording of three exchanges."""
    path = tmp_path / "run.jsonl"
    app.recordings.start(path)
    for byte in ("a1", "b2", "c3"):
        api.post("/v1/contracts", json={"name": byte, "chainId": 80002, "address": "0x" + byte * 20})
    app.recordings.close()
    return path


def alter(file: Path, before: str, after: str) -> None:
    """Change a text in a file."""
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))


def test_a_run_that_repeats_exits_with_0(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["replay", str(file)]) == 0
    assert capsys.readouterr().out == "3 exchanges replayed, none differ\n"


def test_a_recording_without_an_end_exits_with_4(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = file.read_text()
    file.write_text(whole[: whole.index('{"end"')])
    assert cli.main(["replay", str(file)]) == 4
    assert "the recording has no end" in capsys.readouterr().out
    assert cli.main(["replay", str(file), "--json", "--allow-cut"]) == 0
    assert json.loads(capsys.readouterr().out)["cut"] is True
    file.write_text(whole)
    assert cli.main(["replay", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["cut"] is False


def test_a_difference_exits_with_1_and_is_shown(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = file.read_text().splitlines(keepends=True)
    place = next(place for place, line in enumerate(lines) if '"n":2,' in line)
    lines[place] = lines[place].replace("false", r"\"\u001b[2J\"", 1)
    file.write_text("".join(lines))
    alter(file, '"draws/con":3', '"draws/con":4')
    assert cli.main(["replay", str(file)]) == 1
    said = capsys.readouterr().out
    assert "exchange 2 (line" in said
    assert "POST /v1/contracts differs in body" in said
    assert "\x1b" not in said, "a stranger's file does not drive a terminal"
    assert said.endswith("2 exchanges replayed, 1 differ\n")
    assert cli.main(["replay", str(file), "--keep-going"]) == 1
    assert capsys.readouterr().out.endswith("3 exchanges replayed, 2 differ\n")


def test_the_report_as_json(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alter(file, '"draws/con":3', '"draws/con":4')
    assert cli.main(["replay", str(file), "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["exchanges"], report["differing"], report["torn"], report["changelog"]) == (
        3,
        1,
        False,
        [],
    )
    (found,) = report["found"]
    (difference,) = found["differences"]
    assert (found["exchange"], found["request"]["path"]) == (3, "/v1/contracts")
    assert (difference["expected"], difference["got"]) == (4, 3)


@cases("content", b"", b"no recording\n", b'{"mockserver_recording":99}\n')
def test_what_is_no_recording_exits_with_3(
    content: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    assert cli.main(["replay", str(path)]) == 3
    assert capsys.readouterr().err.startswith(f"mockserver: {path}: line 1: ")
    assert cli.main(["replay", str(tmp_path / "none")]) == 3
    assert cli.main(["replay", str(tmp_path)]) == 3


def test_wrong_arguments_exit_with_2() -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["replay", "x", "--to", "0"])


def test_an_exchange_that_is_not_there_is_said(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["replay", str(file), "--to", "9"]) == 3
    assert "there is no exchange 9" in capsys.readouterr().err


def test_the_state_after_an_exchange_is_served(file: Path, project: Project) -> None:
    command = [sys.executable, "-m", "mockserver", "replay", str(file), "--to", "2", "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stderr is not None
            url = process.stderr.readline().rpartition(" ")[2].strip()
            headers = {"authorization": f"Bearer {project.secret_key}"}
            with Client(base_url=url, headers=headers, trust_env=False) as client:
                assert client.get("/v1/contracts").json()["total"] == 2
                clock = client.put(f"/_mock/projects/{project.id}/clock", json={"mode": "ticking"}).json()
                while client.get(f"/_mock/projects/{project.id}/clock").json()["now"] == clock["now"]:
                    time.sleep(0.001)
        finally:
            process.terminate()


class Served:
    """In the place of the listener: what is served, which is over at once."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, ask: Callable[[Any], object] = lambda app: None
    ) -> None:
        self.apps: list[Any] = []
        self._ask = ask
        monkeypatch.setattr("mockserver.replay.command.Listener", self.listen)

    def listen(self, app: object, on_stop: Callable[[], None]) -> "Served":
        """See `Listener`."""
        self.apps.append(app)
        return self

    def run(self, sockets: list[socket]) -> None:
        """See `Listener`."""
        assert [each.getsockname()[0] for each in sockets] == ["127.0.0.1"]
        self._ask(self.apps[-1])


@cases(
    "options, code, contracts",
    (["--to", "2"], 0, 2),
    (["--to", "3"], 1, None),
    (["--to", "3", "--keep-going"], 1, 3),
    (["--to", "9", "--keep-going"], 3, None),
    (["--to", "9"], 1, None),
    ([], 1, None),
    (["--keep-going"], 1, None),
)
def test_only_a_state_as_recorded_or_wanted_anyway_is_served(
    options: list[str],
    code: int,
    contracts: int | None,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    alter(file, '"draws/con":3', '"draws/con":4')
    served = Served(monkeypatch)
    assert cli.main(["replay", str(file), "--port", "0", *options]) == code
    said = capsys.readouterr().err
    if contracts is None:
        assert (served.apps, "serving" in said) == ([], False)
        return
    (app,) = served.apps
    (project,) = app.pipeline.world
    assert len(project.onchain.contracts) == contracts
    assert project.clock.now_ms < app.pipeline.world.real_ms(), "time is real from there on"
    assert said.startswith(f"serving the state after exchange {contracts} at http://127.0.0.1:")


def test_the_last_exchange_is_one_to_stop_after(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    served = Served(monkeypatch)
    assert cli.main(["replay", str(file), "--port", "0", "--to", "3"]) == 0
    assert len(served.apps) == 1


@cases("path, code", ("/v1/none", 1), (None, 0))
def test_a_served_recording_tells_at_the_end_what_was_asked(
    path: str | None,
    code: int,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Served(monkeypatch, lambda app: path and TestClient(app).get(path))
    assert cli.main(["replay", str(file), "--serve", "--port", "0"]) == code
    first, *told = capsys.readouterr().err.splitlines()
    assert first.startswith("serving the recording at http://127.0.0.1:")
    assert told[code:] == [f"exchange {n} was not asked for: POST /v1/contracts" for n in (1, 2, 3)]
    assert [line[:21] for line in told[:code]] == ["refused GET /v1/none:"] * code


@cases("draws, colour", ("3", "32"), ("4", "31"))
def test_the_last_line_is_green_or_red(
    draws: str, colour: str, file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    alter(file, '"draws/con":3', f'"draws/con":{draws}')
    cli.main(["replay", str(file)])
    *lines, last = capsys.readouterr().out.splitlines()
    assert last.startswith(f"\x1b[{colour}m3 exchanges replayed")
    assert not any("\x1b" in line for line in lines)


def test_the_changelog_since_a_recordings_version_is_listed(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (
        "# Changelog\n\n## [Unreleased]\n\n- New\n\n## [0.1.0] - 2026\n\n- First\n\n## [0.0.9]\n\n- Older\n"
    )
    monkeypatch.setattr(changelog, "read_page", lambda _: text)
    assert entries_between("0.1.0", "0.1.0") == []
    assert entries_between("0.0.9", "0.2.0") == ["## [Unreleased]", "- New", "## [0.1.0] - 2026", "- First"]
    alter(file, '"mockserver":"0.1.0"', '"mockserver":"0.0.9"')
    alter(file, '"draws/con":3', '"draws/con":4')
    assert cli.main(["replay", str(file)]) == 1
    assert "recorded with mockserver 0.0.9" in (said := capsys.readouterr().out)
    assert "  - First\n" in said


@cases("command", ["mask", "FILE"], ["export", "FILE", "--to", "curl", "--out"], ["shrink", "FILE", "--out"])
def test_what_is_made_of_a_recording_does_not_replace_it(
    command: list[str], file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = file.read_bytes()
    link = file.with_name("link.jsonl")
    link.symlink_to(file)
    assert cli.main([*(str(file) if word == "FILE" else word for word in command), str(link)]) == 3
    assert f"{link}: it is the recording itself" in capsys.readouterr().err
    assert file.read_bytes() == before


def test_what_cannot_be_written_is_named(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = file.with_name("pipe")
    os.mkfifo(pipe)
    assert cli.main(["mask", str(file), str(pipe)]) == 3
    assert f"{pipe}: it is no regular file" in capsys.readouterr().err


@cases("number", *range(1, FORMAT + 1))
def test_the_kept_recording_of_each_format_replays(number: int) -> None:
    # A later version may answer differently on purpose: name the differences here. The file stays as it is.
    kept = Path(__file__).parent / f"format-{number}.jsonl"
    player, found = play(kept.read_bytes())
    assert (player.number, player.lines.is_torn, found) == (13, False, [])
