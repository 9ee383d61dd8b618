"""`mockserver test` and `mockserver schema`."""

import json
from pathlib import Path

import pytest

from mockserver import cli

GOOD = "expect:\n  - call: GetContracts\n  - call: ListPolicies\n"
FAILING = "expect:\n  - call: GetContracts\n    answer: 503\n"
ROOT = Path(__file__).parents[2]


def write(path: Path, text: str) -> str:
    """A file with a text; its path."""
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_each_file_has_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, failing = write(tmp_path / "good.yaml", GOOD), write(tmp_path / "failing.yaml", FAILING)
    assert cli.main(["test", good, failing]) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{good}: passed (2 steps)",
        f"{failing}: failed (1 step)",
        f"  {failing}:3:13: GetContracts: expected 503, found 200",
        "1 passed, 1 failed",
    ]


def test_a_directory_means_its_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(tmp_path / "b.yaml", GOOD)
    write(tmp_path / "a.yml", "name: nothing expected\n")
    write(tmp_path / "notes.txt", "no scenario")
    assert cli.main(["test", str(tmp_path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{tmp_path / 'a.yml'}: no expect",
        f"{tmp_path / 'b.yaml'}: passed (2 steps)",
        "2 passed (1 without expect)",
    ]


def test_no_scenario_differs_from_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong, missing = write(tmp_path / "wrong.yaml", "expct: []\n"), str(tmp_path / "missing.yaml")
    (tmp_path / "empty").mkdir()
    failing = write(tmp_path / "failing.yaml", FAILING)
    assert cli.main(["test", wrong, missing, str(tmp_path / "empty"), failing]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{wrong}: invalid"
    assert lines[1].startswith(f"  {wrong}:1:1: ")
    assert lines[2:6] == [
        f"{missing}: invalid",
        "  cannot be read: No such file or directory",
        f"{tmp_path / 'empty'}: invalid",
        "  no *.yaml is in this directory",
    ]
    assert lines[-1] == "1 failed, 3 invalid"


def test_the_schema_is_printed_as_it_is_published(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["schema"]) == 0
    printed = capsys.readouterr().out
    assert printed == (ROOT / "scenarios" / "scenario.schema.json").read_text(encoding="utf-8")
    assert json.loads(printed)["$schema"] == "https://json-schema.org/draft/2020-12/schema"
