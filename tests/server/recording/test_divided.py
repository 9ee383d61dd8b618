"""Recordings of some projects of a server: several at once, each of which replays by itself."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from httpx import Client

from mockserver import cli
from mockserver.testing.connection import ControlApiError
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import server as server
from tests.replay.recorded import contract

PASSWORD = "correct horse battery"


@pytest.fixture
def shops(server: LiveServer) -> Iterator[dict[str, tuple[MockProject, Client]]]:
    """Three projects, each with a client."""
    made = {name: server.control.create_project(name=name) for name in ("one", "other", "third")}
    clients = {name: project.connect() for name, project in made.items()}
    yield {name: (made[name], clients[name]) for name in made}
    for client in clients.values():
        client.close()


Shops = dict[str, tuple[MockProject, Client]]


def replays(tmp_path: Path, recording: bytes) -> list[dict[str, Any]]:
    """The lines of a recording that replays without a difference."""
    file = tmp_path / "run.jsonl"
    file.write_bytes(recording)
    assert cli.main(["replay", str(file)]) == 0
    return [json.loads(line) for line in recording.splitlines()]


def paths(lines: list[dict[str, Any]]) -> list[str]:
    """The paths that were asked for."""
    return [line["request"]["path"] for line in lines if "request" in line]


def test_each_has_the_calls_of_its_projects(server: LiveServer, shops: Shops, tmp_path: Path) -> None:
    (one, first), (other, second), (third, last) = shops.values()
    control = server.control
    contract(first, "a1")
    control.start_recording(projects=[one, third])
    control.start_recording(projects=[other], mask=True)
    contract(first, "b2")
    for project in (one, other):
        project.fate(outcome="reverted")
        project.clock.advance(5)
        wallet = project.given.sponsored_wallet()
        sent = {"chainId": wallet.chain_id, "accountId": wallet.id, "calls": [{"to": "0x" + "cd" * 20}]}
        with project.connect() as api:
            assert api.post("/v2/transactions", json=sent).json()["status"] == "reverted"
    contract(last, "c3")
    body = {"email": "ada@example.com", "password": PASSWORD, "name": "Ada"}
    second.post("/iam/v2/auth/sign-up/email", json=body, headers=other.headers())
    masked = control.stop_recording(other)
    contract(first, "d4")
    plain = control.stop_recording(third)
    contract(first, "e5")
    assert PASSWORD not in masked.decode()
    found = replays(tmp_path, plain)
    assert paths(found).count("/v1/contracts") == 3
    assert {line["project"]["name"] for line in found if "project" in line} == {"one", "third"}
    assert "/iam/v2/auth/sign-up/email" in paths(replays(tmp_path, masked))


def test_what_is_too_large_is_refused_as_without_a_recording(server: LiveServer, shops: Shops) -> None:
    one, api = shops["one"]
    server.control.start_recording(projects=[one])
    large = b"{" + b" " * 2**21 + b"}"
    assert api.post("/v1/players", content=large).status_code == 413
    assert api.get("/v1/players", params={"name": "a" * 2**15}).status_code == 414
    assert api.get("/v1/players", headers={"x-large": "a" * 2**17}).status_code == 431


def test_a_code_that_a_call_spends_is_no_secret(server: LiveServer, shops: Shops, tmp_path: Path) -> None:
    project, api = shops["one"]
    server.control.start_recording(projects=[project], mask=True)
    code = {"email": "ada@example.com", "type": "sign-in"}
    api.post("/iam/v2/auth/email-otp/send-verification-otp", json=code, headers=project.headers())
    sent = {"email": "ada@example.com", "otp": project.outbox.latest()["code"]}
    answer = api.post("/iam/v2/auth/sign-in/email-otp", json=sent, headers=project.headers())
    recording = server.control.stop_recording(project)
    assert sent["otp"] in recording.decode().partition('"otp')[2]
    assert answer.is_success
    replays(tmp_path, recording)


def test_a_ticking_project_and_one_that_is_deleted_replay(
    server: LiveServer, shops: Shops, tmp_path: Path
) -> None:
    (one, first), (other, _), _ = shops.values()
    one.clock.tick(1000)
    server.control.start_recording(projects=[one, other])
    contract(first, "a1")
    other.delete()
    contract(first, "b2")
    assert [*replays(tmp_path, server.control.stop_recording(one))[-1]["end"]["digests"]] == [one.id]


def test_what_is_recorded_already_is_not_recorded_twice(server: LiveServer, shops: Shops) -> None:
    (one, _), (other, _), _ = shops.values()
    control = server.control
    control.start_recording(projects=[one])
    with pytest.raises(ControlApiError, match="being made already"):
        control.start_recording(projects=[other, one])
    with pytest.raises(ControlApiError, match="being made already"):
        control.start_recording()
    control.stop_recording(one)
    control.start_recording()
    with pytest.raises(ControlApiError, match="being made already"):
        control.start_recording(projects=[one])
    control.stop_recording()


def test_a_recording_goes_with_the_next_or_its_projects(server: LiveServer, shops: Shops) -> None:
    (one, api), (other, _), _ = shops.values()
    control = server.control
    control.start_recording(projects=[one])
    contract(api, "a1")
    assert paths([json.loads(line) for line in control.stop_recording(one).splitlines()]) == ["/v1/contracts"]
    control.start_recording(projects=[one])
    one.delete()
    control.start_recording(projects=[other])
    for gone in (one, shops["third"][0]):
        with pytest.raises(ControlApiError, match="no recording"):
            control.recording(gone)
    with pytest.raises(ControlApiError, match="There is no project") as found:
        control.start_recording(projects=[one])
    assert found.value.problem["param"] == "projects"


def test_one_whose_disk_is_full_ends_alone(
    server: LiveServer, shops: Shops, monkeypatch: pytest.MonkeyPatch
) -> None:
    (one, first), (other, second), _ = shops.values()
    server.control.start_recording(projects=[one])
    server.control.start_recording(projects=[other])
    monkeypatch.setattr("mockserver.server.recording.file.LONGEST_LINE", 2_000)
    first.post("/v1/contracts", json={"name": "x" * 3_000})
    monkeypatch.undo()
    contract(second, "a1")

    def status(project: MockProject) -> tuple[bool, int]:
        found = server.control.call("GET", "/_mock/recording/status", params={"project": project.id})
        return found["active"], found["exchanges"]

    assert (status(one), status(other)) == ((False, 0), (True, 1))
    server.control.start_recording(projects=[one])
