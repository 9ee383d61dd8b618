"""Starting, stopping and retrieving a recording by the control API."""

import json
import threading
from pathlib import Path

import pytest
from httpx import Client

from mockserver import errors
from mockserver.errors import ApiError
from mockserver.replay.targets import InProcess
from mockserver.server.edge.app import App
from mockserver.server.recording.lines import TOKEN
from mockserver.state.project import Project
from mockserver.testing.server import LiveServer
from tests.descriptors import open_files
from tests.replay.runs import play


def test_a_recording_is_started_stopped_and_retrieved(api: Client) -> None:
    assert api.get("/_mock/recording").json()["title"] == "No recording"
    assert api.get("/_mock/recording/status").json() == {
        "active": False,
        "exchanges": 0,
        "size": 0,
        "failure": None,
    }
    assert api.post("/_mock/recording").status_code == 201
    assert api.post("/_mock/recording").status_code == 409
    api.get("/v1/contracts")
    assert api.get("/_mock/recording/status").json()["exchanges"] == 1
    stopped = api.post("/_mock/recording/stop").json()
    assert (stopped["active"], stopped["exchanges"]) == (False, 1)
    api.get("/v1/contracts")
    found = api.get("/_mock/recording")
    assert found.headers["content-type"] == "application/jsonl"
    assert [json.loads(line).get("n") for line in found.text.splitlines()][-2:] == [1, None]
    assert len(found.content) == api.get("/_mock/recording/status").json()["size"]


def test_a_recording_is_of_all_projects_and_new_ones(api: Client) -> None:
    api.post("/_mock/recording")
    other = api.post("/_mock/projects", json={"name": "other"}).json()
    body = {"name": "T", "chainId": 80002, "address": "0x" + "a1" * 20}
    headers = {"authorization": f"Bearer {other['secret_key']}"}
    api.post("/v1/contracts", json=body, headers=headers)
    api.post("/v1/contracts", json=body, headers={"authorization": "Bearer sk_test_undeclared"})
    api.delete(f"/_mock/projects/{other['id']}")
    api.post("/_mock/recording/stop")
    target = InProcess()
    player, found = play(api.get("/_mock/recording").content, target)
    assert (found, player.number) == ([], 4)
    assert [project.name for project in target.app.pipeline.world] == ["tests", "undeclared"]


def test_snapshots_and_resets_never_rewind_the_recorder(api: Client, project: Project) -> None:
    base = f"/_mock/projects/{project.id}"
    api.post(f"{base}/snapshots", json={"name": "s"})
    api.post("/_mock/recording")
    for _ in range(3):
        api.get("/v2/users")
        api.post(f"{base}/snapshots/s/restore")
    api.post(f"{base}/reset")
    assert api.get("/_mock/recording/status").json()["exchanges"] == 7
    _, found = play(api.get("/_mock/recording").content)
    assert found == []


def test_a_scenarios_steps_are_part_of_its_loading(api: Client, project: Project) -> None:
    api.post("/_mock/recording")
    text = "given:\n  - {call: CreateContract, body: {name: T, chainId: 80002, address: '0x%s'}}" % (
        "a1" * 20
    )
    headers = {"content-type": "application/yaml"}
    answer = api.post(f"/_mock/projects/{project.id}/scenarios", content=text, headers=headers)
    assert answer.status_code == 201
    player, found = play(api.get("/_mock/recording").content)
    assert (found, player.number) == ([], 1)


def test_digests_are_equal_exactly_when_the_states_are(api: Client, project: Project) -> None:
    def digest() -> str:
        found: str = api.get("/_mock/recording/digests").json()["digests"][project.id]
        return found

    api.post(f"/_mock/projects/{project.id}/snapshots", json={"name": "s"})
    before = digest()
    api.post("/v1/contracts", json={"name": "T", "chainId": 80002, "address": "0x" + "a1" * 20})
    assert digest() != before
    api.post(f"/_mock/projects/{project.id}/snapshots/s/restore")
    assert digest() != before, "the number of the last exchange is part of the state"


def test_none_begins_while_requests_wait() -> None:
    with LiveServer() as server:
        project = server.control.create_project(name="p")
        waiting = threading.Thread(
            target=lambda: server.control.call(
                "GET", f"/_mock/projects/{project.id}/outbox", params={"wait": 20}
            )
        )
        waiting.start()
        with Client(transport=server.transport, base_url="http://mock") as client:
            while not (refused := client.post("/_mock/recording")).is_client_error:
                client.post("/_mock/recording/stop")
            assert refused.json()["title"] == "Recording waits"
            # A message ends the wait.
            client.post(
                "/iam/v2/auth/email-otp/send-verification-otp",
                json={"email": "ada@example.com", "type": "sign-in"},
                headers={"x-project-key": project.publishable_key},
            )
        waiting.join()


def test_a_failed_beginning_leaves_the_last_recording(app: App, project: Project) -> None:
    app.recordings.start()
    app.recordings.stop()
    last, files = app.recordings.read(), open_files()
    project.waiting += 1
    with pytest.raises(ApiError) as refused:
        app.recordings.start()
    assert refused.value.row is errors.CONTROL_RECORDING_WAITS
    assert (app.recordings.read(), open_files()) == (last, files)
    project.waiting -= 1
    assert app.recordings.start().active


def test_a_file_that_cannot_be_opened_leaves_the_last_recording(app: App, tmp_path: Path) -> None:
    app.recordings.start()
    app.recordings.stop()
    last = app.recordings.read()
    with pytest.raises(ApiError, match="No such file or directory"):
        app.recordings.start(tmp_path / "none" / "run.jsonl")
    assert app.recordings.read() == last
    assert app.pipeline.observer is None


def test_one_whose_beginning_cannot_be_written_does_not_begin(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.recordings.start()
    app.recordings.stop()
    last, files = app.recordings.read(), open_files()
    monkeypatch.setattr("mockserver.server.recording.file.LONGEST_LINE", 100)
    with pytest.raises(ApiError, match="a line would be longer than 100 bytes"):
        app.recordings.start(tmp_path / "run.jsonl")
    assert (app.recordings.read(), open_files()) == (last, files)
    assert app.pipeline.observer is None


def test_the_last_recordings_file_is_closed_at_the_next(app: App) -> None:
    app.recordings.start()
    app.recordings.stop()
    files = open_files()
    app.recordings.start()
    assert open_files() == files
    app.recordings.close()
    assert open_files() == files - 1


def test_the_control_token_is_not_in_a_recording() -> None:
    with LiveServer(control_token="very-secret-token") as server:
        server.control.start_recording()
        server.control.create_project(name="p")
        recorded = server.control.stop_recording()
    assert b"very-secret" not in recorded
    assert TOKEN.encode() in recorded
    _, found = play(recorded)
    assert found == []


def test_a_server_that_does_not_record_has_no_observer(app: App, api: Client) -> None:
    api.post("/_mock/recording")
    assert app.pipeline.observer is not None
    api.post("/_mock/recording/stop")
    assert app.pipeline.observer is None
    assert app.pipeline.world.histories.on_changes is None
