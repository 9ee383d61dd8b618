"""The commands: exploring what any program does, linting recordings, probing handlers of webhooks."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from mockserver.cli import main
from mockserver.crypto.webhook_signatures import SIGNATURE_HEADER, sign_webhook
from mockserver.exploring import commands
from mockserver.exploring.plan import Trial, paths_of
from mockserver.testing.server import LiveServer
from tests.tables import cases

PYTHON = """
import json, os, sys
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit
place = urlsplit(os.environ["MOCKSERVER_URL"])
body = json.dumps({"name": "Token", "chainId": 84532, "address": "0x" + "cd" * 20})
headers = {"authorization": "Bearer " + os.environ["OPENFORT_SECRET_KEY"], "content-type": "application/json"}
headers["x-idempotency-key"] = "contract"
for attempt in range(3):
    try:
        api = HTTPConnection(place.hostname, place.port)
        api.request("POST", "/v1/contracts", body, headers)
        answer = api.getresponse()
        if answer.status < 500 and answer.status != 429:
            assert answer.status < 400
            json.load(answer)
            break
    except (OSError, HTTPException, ValueError):
        pass
else:
    sys.exit(%s)
"""
SLOW = """
import threading
threading.Event().wait(attempt)
"""
PROJECT = """
import json, os
from http.client import HTTPConnection
from urllib.parse import urlsplit
def ask(method, path, body=None, **headers):
    api = HTTPConnection(urlsplit(os.environ["MOCKSERVER_URL"]).netloc)
    api.request(method, path, json.dumps(body), {"content-type": "application/json", **headers})
    return api.getresponse().read()
project = json.loads(ask("POST", "/_mock/projects", {"name": "shop"}))
key = "Bearer " + project["secret_key"]
token = {"name": "Token", "chainId": 84532, "address": "0x" + "cd" * 20}
ask("POST", "/v1/contracts", token, authorization=key)
ask("DELETE", "/_mock/projects/" + project["id"])
"""


def explore(folder: Path, *command: str, check: Path | None = None) -> int:
    """The exit code of exploring a command."""
    options = ["--out", str(folder), "--budget", "60s", "--jobs", "2"]
    options += ["--check", str(check)] if check else []
    return main(["explore", *options, "--", *command])


@cases("status, verdicts", ("1", {"noticed", "survived"}), ("0", {"missed", "noticed", "survived"}))
def test_a_program_is_explored(tmp_path: Path, status: str, verdicts: set[str]) -> None:
    program = tmp_path / "program.py"
    program.write_text(PYTHON % status)
    code = explore(tmp_path / "out", sys.executable, str(program))
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert {each["verdict"] for each in report["tried"]} <= verdicts | {"crashed"}
    missed = [each for each in report["findings"] if each["verdict"] == "missed"]
    assert (code, bool(missed)) == ((1, True) if status == "0" else (code, False))
    if missed:
        finding = tmp_path / "out" / missed[0]["scenario"]
        assert explore(tmp_path / "out", sys.executable, str(program), check=finding) == 1
        program.write_text(PYTHON % 1)
        assert explore(tmp_path / "out", sys.executable, str(program), check=finding) == 0


def test_projects_that_a_program_deletes_are_explored(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROJECT)
    assert explore(tmp_path, sys.executable, str(program)) == 1
    findings = json.loads((tmp_path / "report.json").read_text())["findings"]
    assert {each["test"] for each in findings} == {"shop"}
    assert "lost (0 in place of 1)" in str(findings[0]["reasons"])


def test_a_slow_machine_is_no_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(commands, "_LEAST_LIMIT_S", 0.8)
    monkeypatch.setattr(commands, "SLOWER", 0)
    (path,) = [path for path in paths_of("CreateContract") if path.id == "503 once"]
    settings = commands.Settings([sys.executable, "-c", PYTHON % 1 + SLOW], 60, tmp_path)
    found = commands.check(settings, Trial("default", "CreateContract", 1, path, 0))
    assert found.judgement.verdict == "survived"


@cases(
    "program, finding", ("import sys; sys.exit(3)", "fails without any failure"), ("1", "has asked nothing")
)
def test_what_cannot_be_explored_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], program: str, finding: str
) -> None:
    assert explore(tmp_path, sys.executable, "-c", program) == 3
    assert finding in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_is_found_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    taken, ran = tmp_path / "taken", tmp_path / "ran"
    taken.touch()
    assert explore(taken / "found", sys.executable, "-c", f"open({str(ran)!r}, 'w')") == 3
    assert str(taken) in capsys.readouterr().err
    assert not ran.exists()


def test_a_recording_is_linted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.jsonl"
    with LiveServer() as server:
        server.start_recording(file)
        mine = server.control.create_project(name="shop")
        with mine.connect() as api:
            for _ in range(2):
                api.post("/v1/contracts", json={})
            for password in ("wrong horse", "correct horse"):
                credentials = {"email": "ada@example.com", "password": password}
                api.post("/iam/v2/auth/sign-in/email", json=credentials, headers=mine.headers())
        server.stop_recording()
    assert main(["lint", "--errors", str(file)]) == 1
    shown = capsys.readouterr().out
    assert "retry-after-error: CreateContract is tried again after 400" in shown
    assert "signInEmail is tried again" not in shown
    assert "CreateContract  0/" in shown
    assert main(["lint", "--ignore", "retry-after-error", str(file)]) == 0
    file.write_text("{")
    assert main(["lint", str(file)]) == 3


class Careful(BaseHTTPRequestHandler):
    """A handler that takes everything rightly."""

    key = "whsec_test"

    def do_POST(self) -> None:
        """Verify, then read."""
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        is_right = self.headers.get(SIGNATURE_HEADER) == sign_webhook(self.key, body)
        try:
            json.loads(body)
        except ValueError:
            is_right = False
        self.send_response(200 if is_right else 400)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Nothing."""


class Careless(Careful):
    """A handler that takes everything."""

    def do_POST(self) -> None:
        """Read, and fall over what is no JSON."""
        json.loads(self.rfile.read(int(self.headers.get("content-length", 0))))
        self.send_response(200)
        self.end_headers()


@contextmanager
def handling(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """The URL of a handler."""
    server = HTTPServer(("127.0.0.1", 0), handler)
    server.handle_error = lambda *_: None  # type: ignore[method-assign]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/hooks"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_handler_that_takes_everything_rightly(capsys: pytest.CaptureFixture[str]) -> None:
    with handling(Careful) as url:
        assert main(["probe", "webhook", url, "--key", Careful.key]) == 0
    assert "the handler took 14 of 14 rightly" in capsys.readouterr().out


def test_what_a_handler_takes_wrongly_is_said(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENFORT_WEBHOOK_SECRET", Careful.key)
    with handling(Careless) as url:
        assert main(["probe", "webhook", url]) == 1
    shown = capsys.readouterr().out
    assert "WRONG no signature: 200" in shown
    assert "verify the signature before anything else" in shown
    assert "the handler took 8 of 14 rightly" in shown


class Endless(Careful):
    """Takes deliveries rightly, with answers that have no end."""

    def send_response(self, code: int, message: str | None = None) -> None:
        """Never send the last chunk."""
        super().send_response(code, message)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        with suppress(OSError):
            while True:
                self.wfile.write(b"6\r\nendless\r\n")


def test_an_answer_without_end_is_not_read() -> None:
    with handling(Endless) as url:
        assert main(["probe", "webhook", url, "--key", Careful.key]) == 0


class Hesitant(Careful):
    """Says for ever that it goes on."""

    def send_response(self, code: int, message: str | None = None) -> None:
        """Never come to an answer."""
        with suppress(OSError):
            while True:
                self.wfile.write(b"HTTP/1.1 103 Early Hints\r\n\r\n")


def test_an_answer_that_never_begins_is_none(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockserver.exploring.probe._TIMEOUT_S", 0.01)
    with handling(Hesitant) as url:
        assert main(["probe", "webhook", url, "--key", Careful.key]) == 1
    assert "a delivery as the service sends it: no answer (TimeoutError)" in capsys.readouterr().out


def test_a_handler_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["probe", "webhook", "http://127.0.0.1:9/", "--key", "k"]) == 1
    shown = capsys.readouterr().out
    assert "no answer (ConnectError)" in shown
    assert "at this URL" in shown
    assert "a body of 1 MiB: no answer (ConnectError) in place of 2xx" not in shown
    for url in ("localhost", "http://127.0.0.1:99999/"):
        assert main(["probe", "webhook", url, "--key", "k"]) == 3


@cases("option, said", (["--jobs", "2"], "one after the other"), (["--noticed", "Odd"], "mockserver_noticed"))
def test_what_pytest_does_by_itself_is_refused(
    option: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["explore", *option, "--", "pytest", "tests"])
    assert raised.value.code == 2
    assert said in capsys.readouterr().err


@cases(
    "options, command, given",
    ([], ["pytest"], ["--mockserver-explore=60", "--mockserver-explore-dir=.mockserver/explore"]),
    (
        ["--budget", "90s", "--out", "found", "--since", "HEAD"],
        ["python3", "-m", "pytest", "tests"],
        ["--mockserver-explore=90", "--mockserver-explore-dir=found", "--mockserver-explore-since=HEAD"],
    ),
    (["--check", "finding.yaml"], ["/bin/pytest"], ["--mockserver-explore-check=finding.yaml"]),
)
def test_pytest_explores_its_tests_itself(
    options: list[str], command: list[str], given: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[tuple[str, list[str]]] = []
    monkeypatch.setattr("os.execvp", lambda *words: started.append(words) or sys.exit())  # type: ignore[func-returns-value]
    with pytest.raises(SystemExit):
        main(["explore", *options, "--", *command])
    assert started == [(command[0], [*command, *given])]
