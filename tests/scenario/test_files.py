"""Scenario files that require each other."""

import os
from pathlib import Path

import pytest

from mockserver.api.endpoint import Routes
from mockserver.scenario.checking.files import read_files, read_text, required_files
from mockserver.scenario.reading.findings import ScenarioError
from tests.tables import cases


def write(folder: Path, **requirements: str) -> None:
    """Write files, each with what it requires."""
    for name, required in requirements.items():
        (folder / f"{name}.yaml").write_text(
            f"name: {name}\n" + (f"requires: [{required}]\n" if required else "")
        )


def names(files: list[Path]) -> list[str]:
    return [file.name for file in files]


def test_required_files_come_first_and_once(tmp_path: Path, routes: Routes) -> None:
    write(tmp_path, a="b.yaml, c.yaml", b="d.yaml", c="d.yaml", d="")
    assert names(required_files(tmp_path / "a.yaml")) == ["d.yaml", "b.yaml", "c.yaml"]
    read = read_files([tmp_path / "a.yaml", tmp_path / "d.yaml"], routes)
    assert [scenario.name for scenario in read] == ["d", "b", "c", "a"]


def test_what_cannot_be_read_requires_nothing(tmp_path: Path) -> None:
    write(tmp_path, a="none.yaml, b.yaml", b="a.yaml", c="")
    assert names(required_files(tmp_path / "a.yaml")) == ["b.yaml"]
    write(tmp_path, a="b.yaml", b="c.yaml", c="b.yaml")
    assert names(required_files(tmp_path / "a.yaml")) == ["c.yaml", "b.yaml"]
    (tmp_path / "b.yaml").write_text("requires: [c.yaml")
    assert names(required_files(tmp_path / "a.yaml")) == ["b.yaml"]
    assert required_files(tmp_path / "none.yaml") == []
    (tmp_path / "b.yaml").write_text("- requires\n")
    assert required_files(tmp_path / "b.yaml") == []


@cases(
    "requirements, message",
    ({"a": "b.yaml", "b": "a.yaml"}, "files require each other in a circle: a.yaml > b.yaml > a.yaml"),
    ({"a": "a.yaml"}, "files require each other in a circle: a.yaml > a.yaml"),
    ({"a": "bb.yaml", "b": ""}, "did you mean b.yaml"),
    ({"a": "none/b.yaml"}, "'none/b.yaml' is not a file beside this one"),
)
def test_what_cannot_be_required_is_refused_with_its_place(
    requirements: dict[str, str], message: str, tmp_path: Path, routes: Routes
) -> None:
    write(tmp_path, **requirements)
    with pytest.raises(ScenarioError, match=message) as refused:
        read_files([tmp_path / "a.yaml"], routes)
    (finding,) = refused.value.findings
    assert (finding.line, finding.column) == (2, 12)


def test_a_file_that_is_no_text_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"\xef\xbb\xbfname: a\n\n# \xff\n")
    with pytest.raises(ScenarioError, match=r"a\.yaml:3:1: is not UTF-8"):
        read_text(file)
    file.write_bytes(b"\xef\xbb\xbfname: a\n")
    assert read_text(file) == "name: a\n"


def test_a_file_may_have_so_many_bytes_and_no_more(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_bytes(b"#" * 8 * 1024 * 1024)
    assert len(read_text(file)) == 8 * 1024 * 1024
    file.write_bytes(file.read_bytes() + b"#")
    with pytest.raises(ScenarioError, match="longer than 8,388,608 bytes"):
        read_text(file)


def test_a_pipe_of_a_shell_is_read_and_a_named_one_is_not(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"rules: []")
    os.close(writing)
    assert read_text(Path(f"/dev/fd/{reading}")) == "rules: []"
    os.close(reading)
    os.mkfifo(tmp_path / "named.yaml")
    with pytest.raises(ScenarioError, match="is no regular file"):
        read_text(tmp_path / "named.yaml")
