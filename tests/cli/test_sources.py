"""Where options come from, and which source wins."""

import argparse
import os
import re
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from mockserver import cli, create_app
from mockserver.cli.serve import serve_options
from mockserver.launch.options import APP_OPTIONS, SERVE_OPTIONS, Option
from mockserver.launch.serve import ServeOptions
from tests.cli.conftest import PYTHON
from tests.tables import cases


@pytest.fixture(autouse=True)
def bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for option in (*SERVE_OPTIONS, *APP_OPTIONS):
        monkeypatch.delenv(option.variable, raising=False)


def parse(*arguments: str) -> ServeOptions:
    options: argparse.Namespace = cli.build_parser().parse_args(["serve", *arguments])
    return serve_options(options)


def write(text: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.mockserver]\n{text}\n")


def test_a_flag_wins_over_variable_file_and_default(monkeypatch: pytest.MonkeyPatch) -> None:
    assert parse().port == 4242
    write("port = 1")
    assert parse().port == 1
    monkeypatch.setenv("MOCKSERVER_PORT", "2")
    assert parse().port == 2
    assert parse("--port", "3").port == 3


@cases("command", ["exec", "true"], ["record", "--upstream", "https://api.example.com"])
def test_a_server_of_a_command_takes_a_free_port(command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    write("port = 5000")
    monkeypatch.setenv("MOCKSERVER_PORT", "5001")
    name, *rest = command
    for given, port in (([], 0), (["--port", "3"], 3)):
        options = cli.build_parser().parse_args([name, *given, *rest])
        assert options.parser.choose(options)["port"].value == port


UNKNOWN = (
    ("MOCKSERVER_PROT", "no option has this variable (did you mean MOCKSERVER_PORT?)"),
    ("MOCKSERVER_SCENARIO", "no option has this variable (did you mean MOCKSERVER_SCENARIOS?)"),
    ("MOCKSERVER_BOGUS", "no option has this variable"),
)


@cases("name, said", *UNKNOWN)
@cases("words", ["doctor", "--port", "0"], [], ids=" ".join)
def test_a_variable_that_is_no_option_is_named(
    name: str,
    said: str,
    words: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(name, "1")
    cli.main(words) if words else parse()
    printed = capsys.readouterr()
    assert f"{name} is not taken: {said}\n" in (printed.out if words else printed.err)


def test_an_application_names_them_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MOCKSERVER_SED", "1")
    create_app()
    assert "MOCKSERVER_SED is not taken" in capsys.readouterr().err


@cases(
    "name, text",
    ("MOCKSERVER_URL", "http://127.0.0.1:4242"),
    ("MOCKSERVER_RECORD_TESTS", "failed"),
    ("MOCKSERVER_SERVICE_HOST", "10.0.0.1"),
    ("MOCKSERVER_SERVICE_PORT_HTTP", "80"),
    ("MOCKSERVER_PORT_4242_TCP", "tcp://10.0.0.1:4242"),
    ("MOCKSERVER_PORT_4242_TCP_ADDR", "10.0.0.1"),
    ("MOCKSERVER_CI_SERVICE_PORT", "80"),
)
def test_what_is_for_clients_and_services_is_not_named(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(name, text)
    parse()
    assert capsys.readouterr().err == ""


def test_a_switch_that_a_file_turns_on_can_be_turned_off() -> None:
    write("strict_keys = true")
    assert parse().strict_keys
    assert not parse("--no-strict-keys").strict_keys


def test_paths_of_the_file_are_relative_to_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write('scenarios = ["a.yaml"]')
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    assert parse().scenarios == (tmp_path / "a.yaml",)


@cases("other", "[project]\nname = 'x'\n", "[tool.poetry.dependencies]\nmockserver = '^0.1'\n")
def test_a_file_without_a_table_is_passed_by(
    other: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write("port = 1")
    below = tmp_path / "below"
    below.mkdir()
    (below / "pyproject.toml").write_text(other)
    monkeypatch.chdir(below)
    assert parse().port == 1


@cases(
    "text",
    '[tool."mockserver"]\nport = 1',
    "[ tool . mockserver ]\nport = 1",
    "[tool]\nmockserver.port = 1",
    "tool = {'mockserver' = {port = 1}}",
)
def test_a_table_may_be_spelled_as_toml_allows(text: str) -> None:
    Path("pyproject.toml").write_text(text)
    assert parse().port == 1


@cases(
    "raw, message",
    (b"[tool.mockserver]\nport = 1 # \xff", "pyproject.toml: is not UTF-8 (at line 2)"),
    ("[tool.mockserver]\nport = 1".encode("utf-16"), "pyproject.toml: is not UTF-8 (at line 1)"),
    (b"[[tool.mockserver]]\nport = 1", "pyproject.toml: tool.mockserver has to be a table"),
    (b"tool = 5 # [tool.mockserver]", "pyproject.toml: tool.mockserver has to be a table"),
)
def test_a_file_that_has_no_table_of_toml_is_refused(
    raw: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("pyproject.toml").write_bytes(raw)
    with pytest.raises(SystemExit) as ended:
        parse()
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


@cases(
    "command", ["doctor", "--port", "0"], ["healthcheck", "--port", "1"], ["serve", "--help"], ids=" ".join
)
def test_a_working_directory_that_was_removed_has_no_table(command: list[str], tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    words = ["sh", "-c", 'rmdir "$PWD" && exec "$@"', "-", *PYTHON, *command]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    ended = subprocess.run(
        words, cwd=gone, env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert "Traceback" not in ended.stderr
    assert ended.returncode == (1 if command[0] == "healthcheck" else 0)


@cases(
    "text, message",
    ("prot = 1", "did you mean port?"),
    ("port = 70000", "tool.mockserver.port: '70000' is no port"),
    ("port = [1]", "tool.mockserver.port: has to be a text"),
    ("host = true", "tool.mockserver.host: has to be a text"),
    ("record = true", "tool.mockserver.record: has to be a text"),
    ("tls = [true]", "tool.mockserver.tls: has to be true or false"),
    ('allowed_hosts = [["a", "b"]]', "allowed_hosts: has to be a list of texts"),
    ("tls_hosts = [{a = 1}]", "tls_hosts: has to be a list of texts"),
    ("scenarios = [5]", "tool.mockserver.scenarios: has to be a list of texts"),
    ("scenarios = [true]", "scenarios: has to be a list of texts"),
    ('record = "a\\u0000b"', "tool.mockserver.record: has a NUL"),
    ('scenarios = "a.yaml"', "tool.mockserver.scenarios: has to be a list"),
    ("port = ", "pyproject.toml: "),
)
def test_a_wrong_file_entry_is_named(capsys: pytest.CaptureFixture[str], text: str, message: str) -> None:
    write(text)
    with pytest.raises(SystemExit) as ended:
        parse()
    assert ended.value.code == 2
    assert message in capsys.readouterr().err


def test_a_bad_variable_is_named(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("MOCKSERVER_LOG", "jsno")
    with pytest.raises(SystemExit):
        parse()
    assert "MOCKSERVER_LOG: 'jsno' is no log (did you mean json?)" in capsys.readouterr().err


def test_a_file_may_have_options_of_other_commands() -> None:
    write('ready_file = "ready.json"\nport = 7')
    options = cli.build_parser().parse_args(["healthcheck"])
    assert options.parser.choose(options)["port"].value == 7


def test_the_table_that_the_guide_shows_is_taken() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "guides" / "command-line.md").read_text()
    Path("pyproject.toml").write_text(guide.partition("```toml\n")[2].partition("```")[0])
    assert (parse().port, len(parse().scenarios)) == (5000, 1)


TEXTS = {
    "clock": ("frozen", "2026-01-31T12:00:00Z", "ticking"),
    "log": ("json", "none", "text"),
    "hand_over": ("http://a.example", "https://b.example:4242", "http://c.example"),
    "host": ("0.0.0.0", "::1", "127.0.0.2"),
    "allowed_origins": ("https://a.example", "https://b.example", "https://c.example"),
    "control_token": ("a-first-token", "a-second-token", "a-third-token"),
}
"""Three values of options that take neither numbers nor names."""
OPTIONS = [*SERVE_OPTIONS, *APP_OPTIONS]


def three(option: Option) -> tuple[str, str, str]:
    """Three values of an option, of which those beside each other differ."""
    if option.is_switch:
        return ("true", "false", "true")
    numbers = (
        ("21", "22", "23") if option.metavar in ("N", "PORT") else ("a.example", "b.example", "c.example")
    )
    return TEXTS.get(option.name, numbers)


def as_flag(option: Option, text: str) -> list[str]:
    if option.is_switch:
        return [option.long if text == "true" else option.long.replace("--", "--no-", 1)]
    return [option.long, text]


def as_toml(option: Option, text: str) -> str:
    quoted = text if option.is_switch or option.metavar in ("N", "PORT") else f'"{text}"'
    return f"{option.name} = {f'[{quoted}]' if option.separator else quoted}"


def chosen(option: Option, *words: str) -> tuple[object, str]:
    options = cli.build_parser().parse_args(["serve", *words])
    found = options.parser.choose(options)[option.name]
    return found.value, found.source


@cases("option", *OPTIONS, ids=lambda option: option.name)
def test_each_option_comes_from_the_first_source_that_has_it(
    option: Option, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    flag, variable, file = three(option)
    assert chosen(option)[1] == ""
    write(as_toml(option, file))
    in_file = option.read(file) if option.read is not Path else tmp_path / file
    assert chosen(option) == ((in_file,) if option.separator else in_file, str(tmp_path / "pyproject.toml"))
    monkeypatch.setenv(option.variable, variable)
    assert chosen(option) == (option.read_text(variable), option.variable)
    given = option.read(flag)
    assert chosen(option, *as_flag(option, flag)) == ((given,) if option.separator else given, option.long)


@cases("option", *OPTIONS, ids=lambda option: option.name)
@cases("scheme", "tcp", "udp", "sctp")
def test_no_option_is_taken_from_what_an_orchestrator_injects(
    option: Option, scheme: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = chosen(option)
    monkeypatch.setenv(option.variable, f"{scheme}://10.0.0.1:4242")
    assert chosen(option) == before
    assert f"warning: {option.variable}={scheme}://10.0.0.1:4242 is not taken" in capsys.readouterr().err


@cases("option", *OPTIONS, ids=lambda option: option.name)
@cases("words", ["serve", "--help"], ["doctor", "--port", "0"], ids=" ".join)
def test_help_and_doctor_say_which_source_won(
    option: Option, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    _, variable, _ = three(option)
    if option.name == "host":
        variable = "127.0.0.2"
    monkeypatch.setenv(option.variable, variable)
    if option.name == "port" and words[0] == "doctor":
        words = ["doctor"]
        variable = "0"
        monkeypatch.setenv(option.variable, variable)
    with suppress(SystemExit):
        cli.main(words)
    shown = " ".join(capsys.readouterr().out.split())
    told = "set" if option.is_secret else variable.removesuffix("Z")
    usual = "not set" if option.is_secret else "default "
    assert re.search(rf"{re.escape(told)}\S* from {option.variable}; {usual}", shown)
    assert not (option.is_secret and variable in shown)
