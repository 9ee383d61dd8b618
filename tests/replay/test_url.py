"""`mockserver replay --url`: the same findings, output and exit codes as in process, on sockets."""

import json
from pathlib import Path

import httpx
import pytest

from mockserver import cli
from mockserver.testing.server import LiveServer
from tests.replay.recorded import contract
from tests.replay.runs import mixed_run, record_calls, replay_elsewhere
from tests.replay.test_command import alter
from tests.tables import cases


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A recording of three exchanges of a project."""
    path = tmp_path / "run.jsonl"
    with LiveServer() as server:
        project = server.control.create_project(name="tests")
        server.control.start_recording()
        headers = {"authorization": f"Bearer {project.secret_key}"}
        with httpx.Client(base_url=server.url, headers=headers, trust_env=False, timeout=30) as client:
            for byte in ("a1", "b2", "c3"):
                contract(client, byte)
        path.write_bytes(server.control.stop_recording())
    return path


def replay(file: Path, server: LiveServer, *options: str) -> int:
    """The exit code of a replay against a server."""
    return cli.main(["replay", str(file), "--url", server.url, *options])


def test_a_repeating_run_exits_with_0_and_its_state(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with LiveServer() as server:
        assert replay(file, server) == 0
        assert capsys.readouterr().out == "3 exchanges replayed, none differ\n"
        with server.control.connect({"authorization": "Bearer sk_test_tests"}) as client:
            assert client.get("/v1/contracts").json()["total"] == 3


def test_the_output_is_that_of_a_replay_in_process(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    alter(file, '"draws/con":2', '"draws/con":9')
    alter(file, '"name\\":\\"c3', '"name\\":\\"other')
    alter(file, '"onchain.contracts/', '"onchain.contracts/x')
    for options in ([], ["--keep-going"], ["--json", "--keep-going"]):
        there = cli.main(["replay", str(file), *options]), capsys.readouterr().out
        with LiveServer() as server:
            assert (replay(file, server, *options), capsys.readouterr().out) == there
        assert there[0] == 1


def test_rows_that_differ_are_shown(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = file.read_text().splitlines()
    place = next(place for place, line in enumerate(lines) if '"n":2,' in line)
    line = json.loads(lines[place])
    (changes,) = line["changes"].values()
    row = next(name for name in changes if name.startswith("onchain.contracts/"))
    changes[row] = "0" * 12
    lines[place] = json.dumps(line, separators=(",", ":"))
    file.write_text("\n".join(lines) + "\n")
    with LiveServer() as server:
        assert replay(file, server) == 1
    assert f"{row} is now {{" in capsys.readouterr().out


def test_a_replay_stops_after_an_exchange_and_leaves_its_state(file: Path) -> None:
    with LiveServer() as server:
        assert replay(file, server, "--to", "2") == 0
        with server.control.connect({"authorization": "Bearer sk_test_tests"}) as client:
            assert client.get("/v1/contracts").json()["total"] == 2
        assert replay(file, server, "--to", "9", "--replace") == 3


def test_a_server_in_use_is_left_alone(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with LiveServer() as server:
        project = server.control.create_project(name="running")
        assert replay(file, server) == 3
        assert "running (pro_" in (said := capsys.readouterr().err)
        assert "With --replace they are deleted." in said
        assert [each.id for each in server.control.projects()] == [project.id]
        assert replay(file, server, "--replace") == 0


def test_a_control_token_is_sent(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with LiveServer(control_token="a-token-of-tests") as server:
        assert replay(file, server) == 3
        assert "the server refuses" in capsys.readouterr().err
        assert replay(file, server, "--control-token", "a-token-of-tests") == 0
        monkeypatch.setenv("MOCKSERVER_CONTROL_TOKEN", "a-token-of-tests")
        assert replay(file, server, "--replace") == 0


def test_a_failed_replay_exits_with_3(file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["replay", str(file), "--url", "http://127.0.0.1:1"]) == 3
    assert "the server cannot be reached" in capsys.readouterr().err
    bad = tmp_path / "bad.jsonl"
    bad.write_bytes(file.read_bytes().replace(b'"name":"tests"', b'"name":7', 1))
    with LiveServer() as server:
        assert replay(bad, server) == 3
        assert ": line 4: project.name: " in capsys.readouterr().err
        assert server.control.projects() == []


@cases("options", ["--url", "ftp://x"], ["--url", "http://127.0.0.1:1", "--serve"])
def test_wrong_arguments_exit_with_2(options: list[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        cli.main(["replay", "x", *options])


def test_clients_at_once_repeat(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with LiveServer() as server:
        raw = mixed_run(server.control, server.url)
    assert b'"waits":true' in raw
    assert b'"tick":' in raw
    file = tmp_path / "run.jsonl"
    file.write_bytes(raw)
    with LiveServer() as server:
        assert replay(file, server) == 0, capsys.readouterr().out
        assert server.control.call("GET", "/_mock/recording/digests") != {"digests": {}}
    assert replay_elsewhere(file)["code"] == 0


def test_what_a_rule_puts_off_happens_when_it_did(tmp_path: Path) -> None:
    file = tmp_path / "run.jsonl"
    file.write_bytes(record_calls("held", "late", "held"))
    assert b'"resume"' in file.read_bytes()
    with LiveServer() as server:
        assert replay(file, server) == 0
        assert server.control.projects()[0].clock.now == "2026-01-01T00:00:03.000Z"


def test_a_request_that_waits_at_the_end_goes_on_by_itself(tmp_path: Path) -> None:
    lines = record_calls("held").splitlines(keepends=True)
    first = next(place for place, line in enumerate(lines) if b'"waits":true' in line)
    file = tmp_path / "run.jsonl"
    file.write_bytes(b"".join(lines[: first + 1]))
    with LiveServer() as server:
        assert replay(file, server, "--allow-cut") == 0
        with server.control.connect({"authorization": "Bearer sk_test_held"}) as again:
            assert again.get("/v1/contracts").status_code == 200


def test_an_answer_that_a_proxy_changed_is_found(
    file: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from mockserver.replay.connection import Connection

    receive = Connection.receive

    def through_a_proxy(connection: Connection, within_s: float | None = 60.0) -> dict[str, object]:
        answer = receive(connection, within_s)
        body = answer.get("body", "")
        is_contract = '"object":"contract"' in body and '"answer"' not in body
        return answer | {"body": body.replace('"name":"b2"', '"name":"xx"')} if is_contract else answer

    monkeypatch.setattr(Connection, "receive", through_a_proxy)
    with LiveServer() as server:
        assert replay(file, server) == 1
    assert "exchange 2 (line 8): POST /v1/contracts differs in body /name" in capsys.readouterr().out
