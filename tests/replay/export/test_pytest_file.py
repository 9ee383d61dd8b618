"""The source of an exported test, where it depends on how the run began and on the values of answers."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from httpx import Client

from mockserver.launch.application import AppOptions, build_app
from mockserver.replay.export.beginning import notes_of_beginning
from mockserver.replay.export.history import CannotExport, History, read_history
from mockserver.replay.export.pytest_file import Pytest
from mockserver.replay.export.runners import to_test
from mockserver.replay.export.scenario_file import to_scenario
from mockserver.replay.export.vitest_file import Vitest
from mockserver.replay.shrinking.run import read_run
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from tests.replay.export.conftest import Recorded
from tests.replay.recorded import contract, history_of, sign_up
from tests.tables import cases
from tests.transport import InProcessTransport

YAML = {"content-type": "application/yaml"}


def to_pytest(history: History) -> str:
    """The source of a test."""
    return to_test(history, Pytest())


def body_of(source: str) -> list[str]:
    """The lines of the one test in a file."""
    _, _, body = source.partition("def test_recorded_run(mock_project, mock_api):\n")
    return [line.removeprefix("    ") for line in body.splitlines()]


@cases(
    "seconds, moved",
    (0, []),
    (90, ["mock_project.clock.advance(90)"]),
    (1.5, ["mock_project.clock.advance(1.5)"]),
)
def test_the_clock_moves_from_start_up_to_the_first_call(seconds: float, moved: list[str]) -> None:
    app = build_app(AppOptions(clock="frozen"))
    app.start()
    project = next(iter(app.pipeline.world))
    headers = {"authorization": f"Bearer {project.secret_key}"}
    with Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as api:
        if seconds:
            api.post("/_mock/projects/-/clock/advance", json={"seconds": seconds})
        app.recordings.start()
        api.get("/v1/contracts")
        source = to_pytest(history_of(app))
    assert 'clock="2026-01-01T00:00:00.000Z"' in source
    assert f'seed="{project.seed}"' in source
    lines = body_of(source)
    assert lines[0] == "mock_project.load("
    assert lines[lines.index(")") + 1 : -2] == moved
    assert lines[-2:] == [
        'answer = mock_api.request("GET", "/v1/contracts")',
        "assert answer.status_code == 200",
    ]


def test_rules_of_start_up_need_not_fire(tmp_path: Path) -> None:
    scenario = tmp_path / "outage.yaml"
    scenario.write_text("rules: [{when: GET /v1/contracts/gone, then: {answer: 503}}]\n")
    app = build_app(AppOptions(clock="frozen", scenarios=(scenario,)))
    app.start()
    app.recordings.start()
    headers = {"authorization": f"Bearer {next(iter(app.pipeline.world)).secret_key}"}
    with Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as api:
        api.get("/v1/contracts")
    history = history_of(app)
    assert 'unused_rules="allow"' in to_pytest(history)
    assert 'unusedRules: "allow"' in to_test(history, Vitest())


def test_a_test_loads_what_was_loaded_before_the_recording(app: App, api: Client, recorded: Recorded) -> None:
    api.put("/_mock/projects/-/settings", json={"wait_limit_ms": 5}).raise_for_status()
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 90})
    rule = "{when: {call: GetContracts, clock: {before: 10s}}, then: {answer: 503}}"
    api.post("/_mock/projects/-/scenarios", content=f"rules: [{rule}]\n", headers=YAML).raise_for_status()
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 5})
    history = recorded(("GET", "/v1/contracts", {}))
    assert body_of(to_pytest(history)) == [
        "mock_project.clock.advance(90)",
        "mock_project.load(",
        f'    "rules: [{rule}]\\n"',
        ")",
        "mock_project.clock.advance(5)",
        'answer = mock_api.request("GET", "/v1/contracts")',
        "assert answer.status_code == 503",
    ]
    assert 'settings={"wait_limit_ms": 5}' in to_pytest(history)
    assert notes_of_beginning(history) == ()
    written = to_scenario(history, "it").text
    assert "wait_limit_ms: 5" in written
    assert "before: 10s" in written


def test_what_was_counted_before_the_recording_is_said(api: Client, recorded: Recorded) -> None:
    content = "rules: [{when: GetContracts, then: {answer: 503}}]\n"
    api.post("/_mock/projects/-/scenarios", content=content, headers=YAML).raise_for_status()
    assert api.get("/v1/contracts").status_code == 503
    (note,) = notes_of_beginning(recorded(("GET", "/v1/contracts", {})))
    assert note == "limits or rules had counted calls when the recording began; the test counts from none"


def test_a_project_of_live_keys_has_a_test_with_live_keys(api: Client, recorded: Recorded) -> None:
    made = api.post("/_mock/projects", json={"name": "shop", "livemode": True}).json()
    live = {"authorization": f"Bearer {made['secret_key']}"}
    assert "livemode=True" in to_pytest(recorded(("GET", "/v1/contracts", {"headers": live})))


@cases(
    "headers, is_kept",
    ({}, False),
    ({"cookie": "a=b"}, True),
    ({"cookie": "a=b", "origin": "https://shop.example"}, False),
)
def test_a_referer_is_kept_where_it_is_judged(
    headers: dict[str, str], is_kept: bool, recorded: Recorded
) -> None:
    sent = {"referer": "https://shop.example/", **headers}
    source = to_pytest(recorded(("GET", "/v1/contracts", {"headers": sent})))
    assert ("referer" in source) == is_kept


def test_fetch_waits_a_second_for_an_answer_without_end(api: Client, recorded: Recorded) -> None:
    content = "rules: [{when: GetContracts, then: {fault: timeout}}]\n"
    api.post("/_mock/projects/-/scenarios", content=content, headers=YAML).raise_for_status()
    source = to_test(recorded(("GET", "/v1/contracts", {})), Vitest())
    assert '{ timeout: 1000 },\n  )).rejects.toThrow("aborted due to timeout");' in source


def test_headers_are_as_the_server_has_read_them(recorded: Recorded) -> None:
    headers = [(b"x-latin", b"caf\xe9"), (b"x-two", b"1"), (b"x-two", b"2")]
    source = to_pytest(recorded(("GET", "/v1/contracts", {"headers": headers})))
    assert r"""headers={"x-latin": b'caf\xe9', "x-two": "1, 2"}""" in source


def test_a_run_that_begins_later_begins_at_its_own_time(api: Client, recorded: Recorded) -> None:
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 90})
    source = to_pytest(recorded(("GET", "/v1/contracts", {})))
    assert '@pytest.mark.mockserver(clock="2026-01-01T00:01:30.000Z", seed=' in source
    assert body_of(source) == [
        'answer = mock_api.request("GET", "/v1/contracts")',
        "assert answer.status_code == 200",
    ]


def test_a_test_ends_with_the_last_call(recorded: Recorded) -> None:
    advance = ("POST", "/_mock/projects/-/clock/advance", {"json": {"seconds": 5}})
    source = to_pytest(recorded(advance, ("GET", "/v1/contracts", {}), advance))
    assert body_of(source) == [
        "mock_project.clock.advance(5)",
        'answer = mock_api.request("GET", "/v1/contracts")',
        "assert answer.status_code == 200",
    ]


def test_settings_of_the_project_are_those_of_the_test() -> None:
    app = build_app(AppOptions(clock="frozen"))
    app.recordings.start()
    with Client(transport=InProcessTransport(app), base_url="http://mock") as api:
        body = {"name": "a", "settings": {"snapshots_kept": 3}}
        key = api.post("/_mock/projects", json=body).json()["secret_key"]
        api.get("/v1/contracts", headers={"authorization": f"Bearer {key}"})
    source = to_pytest(history_of(app))
    assert 'settings={"snapshots_kept": 3}' in source
    assert "load(" not in source


@cases(
    "options, arguments",
    ({"json": {"a": [1, None, True]}}, 'json={"a": [1, None, True]}'),
    ({"content": b'{"a": 1, "a": 2}'}, """content='{"a": 1, "a": 2}'"""),
    ({"content": b'{"a": NaN}'}, """content='{"a": NaN}'"""),
    ({"content": b"{"}, 'content="{"'),
    ({"content": b"\xff"}, "content=b'\\xff'"),
    # What `json=` would send otherwise, or not at all.
    ({"content": b"null"}, 'content="null"'),
    ({"content": b"[1e999]"}, 'content="[1e999]"'),
    ({"content": b'["\\ud800"]'}, """content='["\\\\ud800"]'"""),
    ({"params": {"a": "1"}}, ""),
    ({}, ""),
)
def test_a_body_is_sent_as_it_was(options: dict[str, Any], arguments: str, recorded: Recorded) -> None:
    headers = {"content-type": "application/json"} if "content" in options else {}
    lines = body_of(to_pytest(recorded(("POST", "/v1/contracts", {**options, "headers": headers}))))
    path = "/v1/contracts?a=1" if "params" in options else "/v1/contracts"
    if "content" not in options:
        given = ", ".join([f'"POST", "{path}"', *([arguments] if arguments else [])])
        assert lines[0] == f"answer = mock_api.request({given})"
        return
    assert lines[:6] == [
        "answer = mock_api.request(",
        '    "POST",',
        '    "/v1/contracts",',
        '    headers={"content-type": "application/json"},',
        f"    {arguments},",
        ")",
    ]


@cases("levels", 200, 900)
def test_a_body_that_is_nested_deeply_is_a_text(levels: int, recorded: Recorded) -> None:
    options = {"content": b"[" * levels + b"]" * levels, "headers": {"content-type": "application/json"}}
    source = to_pytest(recorded(("POST", "/v1/contracts", options)))
    assert "content=" in source
    compile(source, "test_run.py", "exec")


def test_an_error_is_asserted_by_its_code_in_either_envelope(recorded: Recorded, project: Project) -> None:
    key = {"x-project-key": project.publishable_key}
    lines = body_of(
        to_pytest(
            recorded(
                ("GET", "/v1/contracts/none", {}),
                ("POST", "/iam/v2/auth/sign-in/email", {"json": {}, "headers": key}),
            )
        )
    )
    codes = [line for line in lines if ".json()" in line]
    assert codes[0].startswith('assert answer.json()["error"]["code"] == "')
    assert codes[1].startswith('assert answer.json()["code"] == "')
    assert len(codes) == 2


def test_the_answers_that_later_calls_need_have_names(app: App, api: Client) -> None:
    app.recordings.start()
    made = contract(api, "a1").json()["id"]
    api.get("/v1/contracts")
    api.get(f"/v1/contracts/{made}")
    lines = body_of(to_pytest(history_of(app)))
    calls = [line for line in lines if "mock_api.request" in line]
    assert [call.partition(" =")[0] for call in calls] == ["contract", "answer", "answer"]
    assert '"/v1/contracts/" + contract.json()["id"]' in calls[2]


def test_the_answer_of_a_call_that_opens_a_project_has_a_name(app: App) -> None:
    app.recordings.start()
    with Client(transport=InProcessTransport(app), base_url="http://mock") as client:
        key = {"x-project-key": "pk_test_opened_by_this_call"}
        user = {"email": "ada@example.com", "password": "long enough", "name": "Ada"}
        token = client.post("/iam/v2/auth/sign-up/email", json=user, headers=key).json()["token"]
        client.get("/iam/v2/auth/get-session", headers={**key, "authorization": f"Bearer {token}"})
    written = to_pytest(history_of(app))
    assert token not in written
    assert '"Bearer " + sign_up_email' in written


@cases(
    "runner, taken",
    (Pytest, 'outbox.json()["data"][0]["token"]'),
    (Vitest, "outbox.json().data[0].token"),
)
def test_the_token_of_a_mailed_link_is_taken_from_the_outbox(
    runner: type[Pytest | Vitest], taken: str, app: App, api: Client, project: Project
) -> None:
    app.recordings.start()
    sign_up(api, project, "ada")
    auth, key = "/iam/v2/auth", {"x-project-key": project.publishable_key}
    api.post(f"{auth}/request-password-reset", json={"email": "ada@example.com"}, headers=key)
    (mail,) = api.get("/_mock/projects/-/outbox").json()["data"]
    token = mail["token"]
    api.post(f"{auth}/reset-password", json={"newPassword": "longer still", "token": token}, headers=key)
    written = to_test(history_of(app), runner())
    assert token not in written
    assert taken in written


def test_a_run_without_a_call_is_no_test(app: App, api: Client) -> None:
    app.recordings.start()
    api.get("/_mock/projects/-")
    app.recordings.stop()
    with pytest.raises(CannotExport, match="no call that a test would make"):
        to_pytest(read_history(read_run(BytesIO(app.recordings.read()))))


def test_what_was_there_before_the_run_is_said(app: App, api: Client) -> None:
    contract(api, "01")
    app.recordings.start()
    api.get("/v1/contracts")
    (note,) = notes_of_beginning(history_of(app))
    assert "with rows in onchain.contracts" in note
