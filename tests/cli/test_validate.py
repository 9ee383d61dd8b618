"""`mockserver validate`, and scenarios that are loaded at the start."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mockserver import cli
from tests.cli.conftest import Run, Serve

GOOD = "name: nothing much\nsettings:\n  one_time_code: '424242'\n"
BAD = "name: wrong\nsettings:\n  one_time_cod: '424242'\nrulez: []\n"


@pytest.fixture
def good(tmp_path: Path) -> Path:
    file = tmp_path / "good.yaml"
    file.write_text(GOOD)
    return file


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    file = tmp_path / "bad.yaml"
    file.write_text(BAD)
    return file


def test_a_good_file_is_ok(capsys: pytest.CaptureFixture[str], good: Path) -> None:
    assert cli.main(["validate", str(good)]) == 0
    assert capsys.readouterr().out == "ok\n"


def test_every_finding_says_where_and_what_is_meant(
    capsys: pytest.CaptureFixture[str], good: Path, bad: Path
) -> None:
    assert cli.main(["validate", str(good), str(bad)]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{bad}:3:3: ")
    assert first.endswith("(did you mean one_time_code?)")
    assert second.startswith(f"{bad}:4:1: ")
    assert second.endswith("(did you mean rules?)")


def test_a_file_that_is_missing_or_no_text_is_a_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    binary = tmp_path / "binary.yaml"
    binary.write_bytes(b"name: x\n\xff\n")
    missing = tmp_path / "missing.yaml"
    assert cli.main(["validate", str(binary), str(missing)]) == 1
    first, second = capsys.readouterr().out.splitlines()
    assert first == f"{binary}:2:1: is not UTF-8"
    assert second == f"{missing}:1:1: cannot be read: No such file or directory"


def test_a_directory_stands_for_the_files_in_it(
    capsys: pytest.CaptureFixture[str], good: Path, bad: Path
) -> None:
    assert cli.main(["validate", str(good.parent)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in lines] == [str(bad), str(bad)]
    bad.unlink()
    assert cli.main(["validate", str(good.parent)]) == 0
    good.unlink()
    assert cli.main(["validate", str(good.parent)]) == 1


def test_a_reader_that_has_had_enough_gets_no_traceback(bad: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as nobody:
        environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
        command = [sys.executable, "-m", "mockserver", "validate", str(bad)]
        ended = subprocess.run(command, stdout=nobody, stderr=subprocess.PIPE, env=environment, check=False)
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_a_scenario_is_loaded_into_the_default_project(serve: Serve, good: Path) -> None:
    with serve("--scenario", str(good)).client() as client:
        assert client.get("/_mock/projects/-/settings").json()["one_time_code"] == "424242"


def test_every_scenario_of_a_directory_is_loaded_by_name(serve: Serve, tmp_path: Path) -> None:
    directory = tmp_path / "scenarios"
    directory.mkdir()
    for name, code in (("b.yaml", "2222"), ("a.yml", "1111")):
        (directory / name).write_text(f"settings:\n  one_time_code: '{code}'\n")
    with serve("--scenario", str(directory)).client() as client:
        assert client.get("/_mock/projects/-/settings").json()["one_time_code"] == "2222"


def test_a_scenario_that_is_wrong_keeps_the_server_from_starting(run: Run, bad: Path) -> None:
    ended = run("serve", "--port", "0", "--scenario", str(bad))
    assert ended.returncode == 1
    lines = ended.stderr.splitlines()
    assert lines[0] == "mockserver: a scenario is refused"
    assert [line.partition(": ")[0] for line in lines[1:]] == [f"{bad}:3:3", f"{bad}:4:1"]


def test_a_scenario_that_is_missing_keeps_the_server_from_starting(run: Run, tmp_path: Path) -> None:
    ended = run("serve", "--port", "0", "--scenario", str(tmp_path / "missing.yaml"))
    assert ended.returncode == 1
    assert ended.stderr == f"mockserver: cannot read {tmp_path / 'missing.yaml'}: No such file or directory\n"


def test_a_directory_that_cannot_be_read_is_a_finding(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert cli.main(["validate", str(tmp_path)]) == 1
    assert capsys.readouterr().out == f"{tmp_path}: cannot be read: Permission denied\n"
