"""The small commands, and what all commands have in common."""

import itertools
import json
import platform
import re
import shlex
import socket
import subprocess
from contextlib import AbstractContextManager
from importlib.metadata import version
from pathlib import Path

import pytest

from mockserver import cli
from mockserver.cli.healthcheck import ask
from mockserver.crypto import libsecp256k1
from mockserver.server.edge.ticker import Ticker
from tests.cli.conftest import Serve
from tests.live import one_connection
from tests.tables import cases


@pytest.fixture(autouse=True)
def own_place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@cases("name", *cli.COMMANDS)
def test_the_guide_has_each_command(name: str) -> None:
    guide = (Path(__file__).parents[2] / "docs/guides/command-line.md").read_text()
    assert re.search(rf"`(mockserver )?{name}\b", guide)


@cases("name", *cli.COMMANDS)
def test_a_commands_help_has_a_valid_example(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        cli.main([name, "--help"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    codes = [int(code) for code in re.findall(r"(?m)^  (\d+)", shown.partition("exit codes:\n")[2])]
    assert (codes[0], codes) == (0, sorted(codes))
    purpose = cli.COMMANDS[name]
    assert f"\n\n{purpose[0].upper()}" in shown
    assert f"{purpose[1:]}." in " ".join(shown.split())
    example = cli.load_command(name).EXAMPLE
    assert f"example:\n  {example}\n" in shown
    if name != "completion":
        words = shlex.split(example.partition(">")[0].strip())
        cli.build_parser().parse_args(words[words.index("mockserver") + 1 :])


def test_keys_are_those_that_serve_has(serve: Serve, capsys: pytest.CaptureFixture[str]) -> None:
    served = serve("--seed", "shop")
    assert cli.main(["keys", "--seed", "shop", "wallet_secret"]) == 0
    assert capsys.readouterr().out.strip() == served.ready["env"]["OPENFORT_WALLET_SECRET"]
    assert cli.main(["keys"]) == 0
    assert "secret_key            sk_test_default\n" in capsys.readouterr().out


@cases("api, path", ("public", "/v1/contracts"), ("control", "/_mock/health"))
def test_the_document_is_printed(capsys: pytest.CaptureFixture[str], api: str, path: str) -> None:
    assert cli.main(["openapi", "--api", api]) == 0
    printed = capsys.readouterr().out
    assert path in json.loads(printed)["paths"]
    assert printed.startswith('{\n  "openapi": ')
    assert "\\u" not in printed, "what is no ASCII is printed as it is"


@cases("tls", False, True)
def test_the_health_check_asks_a_server_for_its_readiness(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tls: bool
) -> None:
    served = serve(*["--tls"] * tls)
    monkeypatch.setenv("MOCKSERVER_PORT", served.url.rpartition(":")[2])
    monkeypatch.setenv("MOCKSERVER_HOST", "0.0.0.0")
    monkeypatch.setenv("MOCKSERVER_TLS", str(tls).lower())
    assert cli.main(["healthcheck"]) == 0
    served.end()
    assert cli.main(["healthcheck"]) == 1
    assert "not ready: Connection refused" in capsys.readouterr().err


def test_what_is_no_http_server_is_not_ready(serve: Serve) -> None:
    served = serve("--tls")
    with pytest.raises((OSError, ValueError)):
        ask("127.0.0.1", int(served.url.rpartition(":")[2]), tls=False)


def answering(raw: bytes) -> AbstractContextManager[int]:
    """The port of a server that answers one request with these bytes."""

    def talk(connection: socket.socket) -> None:
        connection.recv(65536)
        connection.sendall(raw)

    return one_connection(talk)


@cases(
    "raw, said",
    (b"HTTP/1.1 200 OK\r\n\r\n<!doctype html>", "another server answers there: 200"),
    (b"HTTP/1.1 200 OK\r\n\r\n" + b" " * 1_000_000, "another server answers there: 200"),
    (b'HTTP/1.1 500 No\r\n\r\n{"status":"ready"}', "another server answers there: 500"),
    (b'HTTP/1.1 503 No\r\n\r\n{"type":"urn:mockserver:not-ready"}', "it answers 503"),
    (b"hello", "what answers there is no HTTP server"),
)
def test_another_server_is_not_ready(raw: bytes, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with answering(raw) as port:
        assert cli.main(["healthcheck", "--port", str(port)]) == 1
    assert capsys.readouterr().err.strip() == f"mockserver: not ready: {said}"


def test_a_server_that_drips_has_two_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    class Dripping(socket.socket):
        parts = 0

        def recv(self, *size: int) -> bytes:
            self.parts += 1
            return b"H"

    times = itertools.count(0, 500)
    here, there = socket.socketpair()
    with here, there, Dripping(fileno=here.detach()) as connection:
        monkeypatch.setattr(socket, "create_connection", lambda *_, **__: connection)
        monkeypatch.setattr(Ticker, "real_ms", lambda _: next(times))
        with pytest.raises(ValueError, match="no HTTP server"):
            ask("127.0.0.1", 1, tls=False)
        assert connection.parts == 3


@cases(
    "raw, said",
    (b"HTTP/1.1 200 OK\r\n\r\n", "wrong   port         another program answers at "),
    (
        b'HTTP/1.1 503 No\r\n\r\n{"type":"urn:mockserver:not-ready"}',
        "warning port         a server answers at",
    ),
    (b"", "wrong   port         another program answers at "),
)
def test_doctor_says_what_has_a_port(raw: bytes, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with answering(raw) as port:
        cli.main(["doctor", "--port", str(port)])
    assert said in capsys.readouterr().out


def test_doctor_says_where_options_are_from_and_who_has_a_port(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    served = serve()
    port = served.url.rpartition(":")[2]
    monkeypatch.setenv("MOCKSERVER_PORT", port)
    monkeypatch.setenv("OPENFORT_SECRET_KEY", "sk_live_shop")
    monkeypatch.delenv("OPENFORT_BASE_URL", raising=False)
    client = tmp_path / "node_modules" / "@openfort" / "openfort-node" / "package.json"
    client.parent.mkdir(parents=True)
    client.write_text('{"name": "@openfort/openfort-node", "version": "1.2.3"}')
    assert cli.main(["doctor", "--clock", "frozen"]) == 0
    shown = capsys.readouterr().out
    assert f"{port} from MOCKSERVER_PORT; default 4242" in shown
    assert f"a server answers at 127.0.0.1:{port} already" in shown
    assert "OPENFORT_SECRET_KEY is a live key" in shown
    assert "frozen at 2" in shown
    assert f"python       {platform.python_version()}, uvicorn {version('uvicorn')}, " in shown
    assert "no authority yet" in shown
    assert "@openfort/openfort-node 1.2.3" in shown


@cases("is_installed, said", (True, "by libsecp256k1"), (False, "in plain Python"))
def test_doctor_says_what_signs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], is_installed: bool, said: str
) -> None:
    monkeypatch.setattr(libsecp256k1, "is_installed", lambda: is_installed)
    cli.main(["doctor", "--port", "0"])
    assert f"secp256k1    {said}" in capsys.readouterr().out


def test_doctor_needs_no_home(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    # A user who is in no list of users.
    monkeypatch.setattr("os.getuid", lambda: 2**30)
    assert cli.main(["doctor", "--port", "0"]) == 0
    assert "there is no home directory: --tls needs XDG_STATE_HOME" in capsys.readouterr().out


def test_doctor_fails_when_wrong(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("OPENFORT_SECRET_KEY", "hunter2")
    assert cli.main(["doctor", "--port", "0"]) == 1
    shown = capsys.readouterr().out
    assert "wrong   key" in shown
    assert "hunter2" not in shown


def test_bash_completes_commands_and_options() -> None:
    script = (
        "source /dev/stdin; COMP_WORDS=(mockserver {0}); COMP_CWORD={1}; _mockserver; echo ${{COMPREPLY[@]}}"
    )
    printed = subprocess.run(
        ["bash", "-c", 'exec "$@"', "-", *_mockserver("completion", "bash")],
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    def complete(words: str, current: int) -> list[str]:
        ended = subprocess.run(
            ["bash", "-c", script.format(words, current)],
            input=printed,
            capture_output=True,
            text=True,
            check=True,
        )
        return ended.stdout.split()

    assert complete("he", 1) == ["healthcheck"]
    assert complete("serve --re", 2) == ["--ready-file", "--record", "--replay-missing"]
    assert complete("keys wa", 2) == ["wallet_secret"]


def _mockserver(*arguments: str) -> list[str]:
    from tests.cli.conftest import PYTHON

    root = Path(__file__).parents[2]
    return ["env", f"PYTHONPATH={root}", *PYTHON, *arguments]


@cases("shell", "zsh", "fish")
def test_other_shells_are_completed_too(capsys: pytest.CaptureFixture[str], shell: str) -> None:
    assert cli.main(["completion", shell]) == 0
    assert "healthcheck" in capsys.readouterr().out


def test_fidelity_shows_what_is_said_about_an_operation(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["fidelity", "CreateTransaction"]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith(
        "CreateTransaction (POST /v2/transactions)\nlast shown against: @openfort/openfort-node "
    )
    assert "\noperations-of-transactions (imitated; specification, " in shown
    assert "\nchain (simplified; " in shown
    assert cli.main(["fidelity", "CreateTransaction", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["kind"], told["setup"]) == ("imitated", "docs/guides/transactions.md")
    assert {"id", "kind", "says"} == told["statements"][0].keys()


@cases(
    "name, line",
    ("strict_token_balances", "token-balances"),
    ("timeout", "faults"),
    ("INVALID_OTP", "errors-of-identity"),
    ("Session key", "operations-of-session-keys"),
    ("clientIp", "member-client-ip"),
    ("blocks", "blocks"),
)
def test_fidelity_finds_a_line_by_what_it_names(
    name: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["fidelity", name]) == 0
    assert capsys.readouterr().out.startswith(f"{line} (")


def test_fidelity_without_a_name_shows_what_is_about_all(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["fidelity"]) == 0
    assert "\nunknown-members (decided; own decision)" in capsys.readouterr().out
