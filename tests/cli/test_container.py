"""What the Dockerfile claims, as far as that shows without an engine."""

import json
import re
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


def test_command_and_variables_are_ones_the_command_line_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in re.findall(r"(MOCKSERVER_\w+)=(\S+)", last("ENV")):
        monkeypatch.setenv(name, value)
    assert json.loads(last("ENTRYPOINT")) == ["mockserver"]
    options = serve_options(cli.build_parser().parse_args(json.loads(last("CMD"))))
    assert options.host == "0.0.0.0"
    assert str(options.port) == last("EXPOSE")
    assert options.scenarios == (Path(last("WORKDIR")),)
    assert options.ready_file is None


def test_the_health_check_is_a_command_in_exec_form() -> None:
    command = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    assert command == ["mockserver", "healthcheck"]
    assert cli.build_parser().parse_args(command[1:]).command == "healthcheck"


def test_it_has_no_volume_and_no_installer() -> None:
    assert "VOLUME" not in {name for name, _ in instructions()}
    assert "--without-pip /opt/mockserver" in (ROOT / "Dockerfile").read_text()


def stages() -> dict[str, list[tuple[str, str]]]:
    """The instructions of each stage, by its name; the last stage, which is the image, by none."""
    found: dict[str, list[tuple[str, str]]] = {}
    name = ""
    for instruction, arguments in instructions():
        if instruction == "FROM":
            name = arguments.partition(" AS ")[2]
            found[name] = []
        found[name].append((instruction, arguments))
    return found


def test_dependencies_are_a_layer_that_edited_code_leaves_alone() -> None:
    dependencies = stages()["dependencies"]
    copied = [arguments for name, arguments in dependencies if name in ("COPY", "ADD")]
    assert copied == ["pyproject.toml ./"]
    assert not any("mockserver ./" in arguments for _, arguments in dependencies)
    image = [arguments for name, arguments in stages()[""] if name == "COPY"]
    assert image == ["--from=dependencies /opt/mockserver /opt/mockserver", "--from=package /package /"]


def test_what_is_downloaded_is_downloaded_for_that_layer_alone() -> None:
    for name, steps in stages().items():
        for _, arguments in steps:
            if name != "dependencies" and "pip" in arguments and " install" in arguments:
                assert "--no-index" in arguments


def test_libraries_have_no_symbols_for_debuggers() -> None:
    (installed,) = (each for name, each in stages()["dependencies"] if name == "RUN" and "compileall" in each)
    assert "strip --strip-unneeded" in installed


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


def test_a_checkouts_scenarios_load_together_beyond_loopback(serve: Serve) -> None:
    # Their steps use the control API, which needs a token there.
    assert serve("--host", "0.0.0.0", "--scenario", str(ROOT / "scenarios")).ready["control_token"]
