"""What commands show on terminals, and do not write into files and pipes: colour, and progress."""

import io
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pytest

from mockserver import cli
from mockserver.launch import streams
from tests.tables import cases


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


RED = "\x1b[31m"
GREEN = "\x1b[32m"


@pytest.fixture(autouse=True)
def no_wishes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")


@cases(
    "is_terminal, wishes, is_coloured",
    (True, {}, True),
    (False, {}, False),
    (True, {"NO_COLOR": "1"}, False),
    (True, {"NO_COLOR": ""}, True),
    (False, {"FORCE_COLOR": "1"}, True),
    (True, {"TERM": "dumb"}, False),
    (True, {"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    (True, {"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
)
def test_colour_is_for_terminals_and_for_those_who_ask(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool, wishes: Mapping[str, str], is_coloured: bool
) -> None:
    for name, value in wishes.items():
        monkeypatch.setenv(name, value)
    stream = Terminal() if is_terminal else io.StringIO()
    assert (streams.paint("ok", "green", stream) != "ok") is is_coloured


@cases(
    "words, stream, colour",
    (["validate", "good.yaml"], "stdout", GREEN),
    (["validate", "bad.yaml"], "stdout", RED),
    (["test", "good.yaml"], "stdout", GREEN),
    (["test", "bad.yaml"], "stdout", RED),
    (["doctor", "--port", "0"], "stdout", GREEN),
    (["replay", "nowhere.jsonl"], "stderr", RED),
    (["shrink", "nowhere.jsonl"], "stderr", RED),
    (["export", "nowhere.jsonl", "--to", "har"], "stderr", RED),
    (["mask", "nowhere.jsonl", "to.jsonl"], "stderr", RED),
    (["healthcheck", "--port", "1"], "stderr", RED),
    (["serve", "--scenario", "nowhere.yaml", "--port", "0"], "stderr", RED),
    ids=lambda value: value[0] if isinstance(value, list) else None,
)
@cases("is_wanted", True, False)
def test_what_a_command_says_is_coloured_where_that_is_wanted(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    stream: str,
    colour: str,
    is_wanted: bool,
) -> None:
    Path("good.yaml").write_text("name: good\nrules: [{when: GetContracts, then: {answer: 503}}]\n")
    Path("bad.yaml").write_text("nmae: bad\n")
    if is_wanted:
        monkeypatch.setenv("FORCE_COLOR", "1")
    cli.main(words)
    printed = capsys.readouterr()
    assert (colour in getattr(printed, {"stdout": "out", "stderr": "err"}[stream])) is is_wanted
    assert ("\x1b" in printed.out + printed.err) is is_wanted


@cases("words", ["schema"], ["openapi"], ["keys"], ["completion", "bash"], ids=" ".join)
def test_what_is_for_programs_is_never_coloured(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert cli.main(words) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_long_work_shows_progress_on_a_terminal_and_wipes_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(streams, "_PATIENCE_S", 0)
    asked = threading.Event()

    def describe() -> str:
        asked.set()
        return "exchange 7"

    with streams.show_progress(describe):
        assert asked.wait(10)
    assert "exchange 7" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with streams.show_progress(lambda: "never"):
        pass
    assert terminal.getvalue() == ""


def test_progress_is_not_written_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(streams, "_PATIENCE_S", 0)
    with streams.show_progress(lambda: "never"):
        assert "mockserver-progress" not in {thread.name for thread in threading.enumerate()}
    assert stream.getvalue() == ""
