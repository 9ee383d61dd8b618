"""What the command line takes, and what it says to what it does not take."""

from pathlib import Path

import pytest

from mockserver import __version__, cli
from mockserver.cli.serve import serve_options
from mockserver.crypto.sealing import import_public_der
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.limits import RequestLimits
from tests.tables import cases


@cases(
    "arguments, hint",
    (["sevre"], "did you mean serve?"),
    (["serve", "--prot", "1"], "did you mean --port?"),
    (["serve", "--ready-fil=x"], "did you mean --ready-file?"),
    (["serve", "--log", "jsno"], "did you mean json?"),
    (["serve", "--log", "xyzzy"], "one of text, json, none"),
    (["serve", "--clock", "tickng"], "did you mean ticking?"),
    (["serve", "--clock", "yesterday"], "2026-01-31T12:00:00Z"),
    (["serve", "--clock", "1969-12-31T23:59:59Z"], "before 1970"),
    (["serve", "--clock", "9999-12-31T23:59:59-01:00"], "after 9999"),
    (["serve", "--port", "65536"], "0 to 65535"),
    (["serve", "--port", "-1"], "0 to 65535"),
    (["serve", "--sc", "x"], "unrecognized arguments: --sc"),
    (["serve", "--max-headers", "0"], "'0' is no limit"),
    (["serve", "--max-body-bytes", "1e6"], "'1e6' is no limit"),
    (["serve", "--max-header-bite", "1"], "did you mean --max-header-bytes?"),
    (["serve", "--control-token", "short"], "8 to 256 visible"),
    (["serve", "--control-token", "with a space"], "8 to 256 visible"),
    (["serve", "--allowed-host", "http://mock.example"], "is no host name"),
    (["serve", "--allowed-host", "mock.example:80"], "is no host name"),
    (["serve", "--allowed-origin", "mock.example"], "is no origin"),
    (["serve", "--allowed-origin", "https://mock.example/path"], "is no origin"),
    (["serve", "--allowed-origin", "null"], "is no origin"),
    (["validate"], "required: FILE"),
    ([], "required: COMMAND"),
    (["exec"], "required: COMMAND"),
    (["exec", "--"], "required: COMMAND"),
    (["exec", "--clock", "frozen"], "required: COMMAND"),
    (["fidelity", "CreateTransacton"], "has no 'CreateTransacton' (did you mean CreateTransaction?)"),
    (["fidelity", ""], "has no ''"),
)
def test_what_is_wrong_is_refused_with_the_nearest_right_one(
    capsys: pytest.CaptureFixture[str], arguments: list[str], hint: str
) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(arguments)
    assert ended.value.code == 2
    first, second = capsys.readouterr().err.splitlines()
    assert hint in first
    assert second.endswith("--help says what it takes")


@cases("command", "serve", "exec", "replay", "shrink", "export", "collection", "healthcheck", "doctor")
def test_no_option_is_suggested_that_is_not_alike(capsys: pytest.CaptureFixture[str], command: str) -> None:
    with pytest.raises(SystemExit):
        cli.main([command, "--bogus", "x"])
    assert "did you mean" not in capsys.readouterr().err


def test_the_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"mockserver {__version__}\n"


def test_options_are_understood() -> None:
    given = ["--scenario", "a.yaml", "--scenario", "b", "--clock", "2026-01-01T00:00:01Z", "--strict-keys"]
    parsed = cli.build_parser().parse_args(["serve", *given])
    options = serve_options(parsed)
    assert options.scenarios == (Path("a.yaml"), Path("b"))
    assert options.clock == 1_767_225_601_000
    assert options.strict_keys
    assert (options.host, options.port, options.log, options.ready_file) == ("127.0.0.1", 4242, "text", None)


def test_limits_and_who_may_control_are_options_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_CONTROL_TOKEN", "of the environment".replace(" ", "-"))
    arguments = ["serve", "--max-headers", "7", "--max-url-bytes", "9", "--allowed-host", "Mock.Example"]
    arguments += ["--allowed-host", "other", "--allowed-origin", "https://Tests.example:3000"]
    options = serve_options(cli.build_parser().parse_args(arguments))
    assert options.limits == RequestLimits(max_headers=7, max_url_bytes=9)
    assert options.control == ControlAccess(
        token="of-the-environment",
        allowed_hosts=frozenset({"mock.example", "other"}),
        allowed_origins=frozenset({"https://tests.example:3000"}),
    )
    given = cli.build_parser().parse_args(["serve", "--control-token", "of-the-command-line"])
    assert serve_options(given).control.token == "of-the-command-line"


def test_a_time_without_a_zone_is_utc() -> None:
    parsed = cli.build_parser().parse_args(["serve", "--clock", "2026-01-01T00:00:00"])
    assert serve_options(parsed).clock == 1_767_225_600_000


def test_the_import_key_is_printed_on_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["keys", "import_key"]) == 0
    assert capsys.readouterr().out == import_public_der() + "\n"
