"""What the Dockerfile claims, as far as that shows without an engine."""

import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from mockserver import cli
from mockserver.cli.serve import serve_options
from tests.cli.conftest import Serve

ROOT = Path(__file__).parents[2]


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions and their arguments, with continued lines joined."""
    text = re.sub(r"\\\n\s*", "", (ROOT / "Dockerfile").read_text())
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    return [(line.split()[0], line.partition(" ")[2]) for line in lines]


def last(name: str) -> str:
    """The arguments of the last instruction of a name: the one that counts."""
    return [arguments for found, arguments in instructions() if found == name][-1]


def test_the_command_is_one_the_command_line_takes() -> None:
    assert json.loads(last("ENTRYPOINT")) == ["mockserver"]
    options = serve_options(cli.build_parser().parse_args(json.loads(last("CMD"))))
    assert options.host == "0.0.0.0"
    assert str(options.port) == last("EXPOSE")
    assert options.scenarios == (Path(last("VOLUME")),)
    assert options.ready_file is None


def test_the_health_check_tells_a_live_server_from_a_dead_one(serve: Serve) -> None:
    command = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    assert command[0] == "python"
    served = serve()
    script = command[2].replace("http://127.0.0.1:4242", served.url)
    assert script != command[2]

    def check() -> int:
        return subprocess.run([sys.executable, "-c", script], capture_output=True, check=False).returncode

    assert check() == 0
    served.end()
    assert check() != 0


def test_what_is_installed_is_the_package_with_extras_that_it_has() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (command,) = [step for name, step in instructions() if name == "RUN" and "pip install" in step]
    target = command.partition("pip install")[2].partition("&&")[0].split()[-1].strip("'")
    found = re.fullmatch(r"\.(?:\[(.+)\])?", target)
    assert found is not None
    assert not found[1] or set(found[1].split(",")) <= project["optional-dependencies"].keys()


def test_it_does_not_run_as_root() -> None:
    assert last("USER") not in ("0", "root")


def test_what_is_copied_is_let_through_by_the_ignore_file() -> None:
    allowed = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {
        word
        for name, arguments in instructions()
        if name == "COPY" and "--from" not in arguments
        for word in arguments.split()[:-1]
    }
    assert copied == allowed
    for name in copied:
        assert (ROOT / name).exists(), name


@pytest.mark.parametrize("empty", [True, False])
def test_a_directory_of_scenarios_may_be_empty(serve: Serve, tmp_path: Path, empty: bool) -> None:
    directory = tmp_path / "scenarios"
    directory.mkdir()
    if not empty:
        (directory / "notes.txt").write_text("no scenario")
    assert serve("--scenario", str(directory)).ready["secret_key"] == "sk_test_default"
