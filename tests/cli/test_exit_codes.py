"""The exit codes that the help of each command documents: every one of them is tried."""

import os
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from httpx import Client

from mockserver import cli
from mockserver.server.edge.app import App
from tests.tables import cases

Words = list[str]
ELSEWHERE = {
    ("serve", "0"): "tests/cli/test_serve.py",
    ("exec", "0"): "tests/cli/test_exec.py",
    ("exec", "1.."): "tests/cli/test_exec.py",
    ("exec", "125"): "tests/cli/test_exec.py",
    ("exec", "126"): "tests/cli/test_exec.py",
    ("exec", "127"): "tests/cli/test_exec.py",
    ("exec", "128+N"): "tests/cli/test_exec.py",
    ("healthcheck", "0"): "tests/cli/test_commands.py",
    ("replay", "4"): "tests/replay/test_masking.py",
    ("export", "1"): "tests/replay/test_export.py",
    ("shrink", "130"): "tests/replay/test_shrink.py",
    ("trace", "0"): "tests/operations/contracts_with_code/test_ways_to_use_them.py",
    ("trace", "3"): "tests/operations/contracts_with_code/test_ways_to_use_them.py",
    ("fleet", "0"): "tests/fleet/test_balancers.py",
    ("fleet", "1"): "tests/fleet/test_balancers.py",
    ("fleet", "3"): "tests/fleet/test_balancers.py",
    **{("record", code): "tests/upstream/test_recording.py" for code in ("0", "1..", "3")},
    **{("compare", code): "tests/upstream/test_comparing.py" for code in "013"},
    **{("drift", code): "tests/upstream/test_drifting.py" for code in "013"},
    **{("explore", code): "tests/exploring/test_commands.py" for code in "013"},
    **{("lint", code): "tests/exploring/test_commands.py" for code in "013"},
    **{("mcp", code): "tests/agents/test_serving.py" for code in "03"},
    **{("probe", code): "tests/exploring/test_commands.py" for code in "013"},
}
"""The codes whose tests need a server, a signal or a masked file, and where they are."""

CASES: dict[tuple[str, str], Words] = {
    ("serve", "1"): ["--port", "0", "--scenario", "nowhere.yaml"],
    ("validate", "0"): ["good.yaml"],
    ("validate", "1"): ["bad.yaml"],
    ("test", "0"): ["good.yaml"],
    ("test", "1"): ["failing.yaml"],
    ("replay", "0"): ["run.jsonl"],
    ("replay", "1"): ["other.jsonl"],
    ("replay", "3"): ["bad.yaml"],
    ("diff", "0"): ["run.jsonl", "run.jsonl"],
    ("diff", "1"): ["run.jsonl", "other.jsonl"],
    ("diff", "3"): ["run.jsonl", "bad.yaml"],
    ("shrink", "0"): ["run.jsonl", "--out", "short.jsonl"],
    ("shrink", "1"): ["run.jsonl", "--while", "status 418 at GetContracts"],
    ("shrink", "3"): ["nowhere.jsonl"],
    ("export", "0"): ["run.jsonl", "--to", "har", "--out", "run.har"],
    ("export", "3"): ["bad.yaml", "--to", "har"],
    ("mask", "0"): ["run.jsonl", "masked.jsonl"],
    ("mask", "1"): ["other.jsonl", "masked.jsonl"],
    ("mask", "3"): ["nowhere.jsonl", "masked.jsonl"],
    ("schema", "0"): [],
    ("openapi", "0"): [],
    ("fidelity", "0"): ["CreateTransaction"],
    ("keys", "0"): [],
    ("healthcheck", "1"): ["--port", "1"],
    ("doctor", "0"): ["--port", "0"],
    ("doctor", "1"): ["--host", "192.0.2.1", "--port", "1"],
    ("docs", "0"): ["faults"],
    ("docs", "1"): ["guides/fault"],
    ("completion", "0"): ["bash"],
    ("collection", "0"): ["--to", "http"],
    ("collection", "3"): ["--to", "http", "--out", "good.yaml/requests.http"],
}


@pytest.fixture
def files(api: Client, app: App, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A directory with scenarios and recordings: good ones, bad ones, and one that replays differently."""
    monkeypatch.chdir(tmp_path)
    for name in ("OPENFORT_SECRET_KEY", "OPENFORT_API_KEY", "OPENFORT_PUBLISHABLE_KEY"):
        monkeypatch.delenv(name, raising=False)
    Path("good.yaml").write_text("name: good\nrules: [{when: GetContracts, then: {answer: 503}}]\n")
    Path("bad.yaml").write_text("nmae: bad\n")
    Path("failing.yaml").write_text("name: failing\nexpect: [{call: GetContracts, answer: {status: 418}}]\n")
    app.recordings.start(tmp_path / "run.jsonl")
    api.get("/v1/contracts")
    api.get("/v1/contracts/con_nowhere")
    app.recordings.close()
    recorded = Path("run.jsonl").read_text()
    Path("other.jsonl").write_text(recorded.replace('"status":200', '"status":202'))
    return tmp_path


def code_of(name: str, words: Words) -> int:
    """The exit code of a command, in this process."""
    try:
        return cli.main([name, *words])
    except SystemExit as ended:
        return int(str(ended.code))


@cases("name, code", *CASES)
@pytest.mark.usefixtures("files", "capsys")
def test_a_command_ends_with_the_code_that_it_documents(name: str, code: str) -> None:
    assert code_of(name, CASES[name, code]) == int(code)


@cases(
    "name, words",
    ("lint", ["nowhere"]),
    ("compare", ["run.jsonl", "--known", "nowhere"]),
    ("explore", ["--check", "nowhere", "--", "true"]),
)
@pytest.mark.usefixtures("files")
def test_a_file_that_is_not_there_is_said_once(
    name: str, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    code_of(name, words)
    said = capsys.readouterr().err
    assert "nowhere: No such file or directory" in said
    assert "Errno" not in said


@cases("name", "fleet check", "trace tin_1 --key sk_test_shop --url")
@pytest.mark.usefixtures("files")
def test_a_server_that_is_not_there_is_said(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    command, *words = name.split()
    assert code_of(command, [*words, "http://127.0.0.1:1"]) == 3
    assert "http://127.0.0.1:1 does not answer as a" in capsys.readouterr().err


class Other(BaseHTTPRequestHandler):
    """A server of something else, which answers everything."""

    body = b""

    def do_GET(self) -> None:
        """Answer."""
        self.rfile.read(int(self.headers.get("content-length", 0)))
        self.send_response(200)
        self.send_header("content-length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def code_with_another_server(name: str) -> int:
    """The exit code of a command that asks it."""
    command, *words = name.split()
    with HTTPServer(("127.0.0.1", 0), Other) as service:
        threading.Thread(target=service.serve_forever, daemon=True).start()
        code = code_of(command, [*words, f"http://127.0.0.1:{service.server_port}"])
        service.shutdown()
    return code


@cases("body", b"<!doctype html>", b"[]", b"{}")
@cases(
    "name, said",
    ("fleet check", "does not answer as a fleet does"),
    ("trace tin_1 --key sk_test_shop --url", "does not answer as a mock server does"),
    ("replay run.jsonl --url", "it answers 200, and is no mockserver that replays"),
)
@pytest.mark.usefixtures("files")
def test_another_server_is_said(
    name: str, said: str, body: bytes, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Other, "body", body)
    assert code_with_another_server(name) == 3
    assert said in capsys.readouterr().err


@cases("name", "fleet check", "trace tin_1 --key sk_test_shop --url", "replay run.jsonl --url")
@pytest.mark.usefixtures("files")
def test_another_server_is_not_heard_for_ever(
    name: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mockserver.replay.connection._MOST_BYTES", 100)
    assert code_with_another_server(name) == 3
    assert "its answer has more than 100 bytes" in capsys.readouterr().err


@cases("name", *cli.COMMANDS)
@pytest.mark.usefixtures("files")
def test_wrong_arguments_are_2_and_say_what_is_near(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--hlep", "--", "true"] if name in ("exec", "explore") else ["--hlep"]
    assert code_of(name, words) == 2
    assert f"mockserver {name}" in capsys.readouterr().err


@cases("name", *cli.COMMANDS)
def test_every_documented_code_is_tried(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert code_of(name, ["--help"]) == 0
    documented = set(re.findall(r"^  (\d\S*)\s", capsys.readouterr().out.partition("exit codes:")[2], re.M))
    assert documented - {"2"} == {code for command, code in {*CASES, *ELSEWHERE} if command == name}


@cases("case, file", *ELSEWHERE.items(), ids=str)
def test_what_is_tried_elsewhere_is_there(case: tuple[str, str], file: str) -> None:
    assert re.search(rf'["\s]{case[0]}["(\s]', (Path(__file__).parents[2] / file).read_text())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.usefixtures("files")
def test_a_full_disk_is_said_while_a_masked_copy_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    Path("full.jsonl").symlink_to("/dev/full")
    assert code_of("mask", ["run.jsonl", "full.jsonl"]) == 3
    assert "mockserver: " in capsys.readouterr().err


@pytest.mark.usefixtures("files")
def test_a_reader_that_is_gone_is_no_mistake_of_a_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w", buffering=1) as closed:
        monkeypatch.setattr("sys.stdout", closed)
        assert cli.main(["replay", "other.jsonl"]) == 1
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@cases("words", ["openapi"], ["schema"], ["keys"])
def test_a_full_disk_is_said_of_what_is_printed(
    words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr("sys.stdout", full)
        assert cli.main(words) == 1
    assert capsys.readouterr().err == "mockserver: cannot write: No space left on device\n"
