"""`create_app`: its options, the environment that gives them too, and ASGI servers that run it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from mockserver import create_app
from mockserver.kernel import timestamps
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.answering.limits import RequestLimits
from mockserver.state.world import EPOCH_MS, World
from mockserver.testing.client import MockServer
from tests.tables import cases

ROOT = Path(__file__).parents[2]
DEFAULT_KEY = {"authorization": "Bearer sk_test_default"}
NAMES = ("SCENARIOS", "SEED", "CLOCK", "STRICT_KEYS", "LOG", "MAX_HEADERS", "CONTROL_TOKEN", "ALLOWED_HOSTS")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(f"MOCKSERVER_{name}", raising=False)


def world_of(**options: object) -> World:
    world: World = create_app(**options).state.world  # type: ignore[arg-type]
    return world


# --- options --------------------------------------------------------------------------------------------


def test_without_options_it_is_as_serve_has_it() -> None:
    world = world_of()
    assert (world.seed, world.strict_keys) == ("mockserver", False)
    assert [project.secret_key for project in world] == ["sk_test_default", "sk_live_default"]
    assert next(iter(world)).clock.mode == "ticking"


@cases(
    "clock, now_ms",
    ("frozen", EPOCH_MS),
    ("2026-02-01T00:00:00Z", 1_769_904_000_000),
    (datetime(2026, 2, 1, tzinfo=UTC), 1_769_904_000_000),
)
def test_a_clock_is_a_word_or_a_time(clock: str | datetime, now_ms: int) -> None:
    project = next(iter(world_of(clock=clock)))
    assert (project.clock.mode, project.clock.now_ms) == ("frozen", now_ms)


def test_a_seed_makes_other_ids() -> None:
    ids = {next(iter(world_of(seed=seed))).new_id("con") for seed in ("one", "two", "one")}
    assert len(ids) == 2


def test_the_environment_says_what_the_call_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_SEED", "of the environment")
    monkeypatch.setenv("MOCKSERVER_STRICT_KEYS", "true")
    monkeypatch.setenv("MOCKSERVER_CLOCK", "frozen")
    assert (world_of().seed, world_of().strict_keys) == ("of the environment", True)
    assert (world_of(seed="mine").seed, world_of(strict_keys=False).strict_keys) == ("mine", False)


@cases(
    "name, text, message",
    ("CLOCK", "frosen", "MOCKSERVER_CLOCK: 'frosen' is no clock (did you mean frozen?)"),
    ("STRICT_KEYS", "maybe", "MOCKSERVER_STRICT_KEYS: 'maybe' is neither true nor false"),
    ("LOG", "xml", "MOCKSERVER_LOG: 'xml' is no log: one of text, json, none"),
    (
        "MAX_HEADERS",
        "many",
        "MOCKSERVER_MAX_HEADERS: 'many' is no limit: a whole number from 1, of up to 12 digits",
    ),
    (
        "CONTROL_TOKEN",
        "short",
        "MOCKSERVER_CONTROL_TOKEN: a control token is 8 to 256 visible ASCII characters long",
    ),
)
def test_a_bad_variable_is_named(monkeypatch: pytest.MonkeyPatch, name: str, text: str, message: str) -> None:
    monkeypatch.setenv(f"MOCKSERVER_{name}", text)
    with pytest.raises(ValueError, match="MOCKSERVER") as raised:
        create_app()
    assert str(raised.value) == message


@cases("written", "first.yaml{}", "{}first.yaml", "first.yaml{0}{0}")
def test_an_empty_scenarios_entry_is_not_the_current_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: str
) -> None:
    (tmp_path / "first.yaml").write_text("name: first\n")
    (tmp_path / "other.yaml").write_text("name: other\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MOCKSERVER_SCENARIOS", written.format(os.pathsep))
    with TestClient(create_app()) as client:
        key = {"authorization": "Bearer sk_test_default"}
        listed = client.get("/_mock/projects/-/scenarios", headers=key).json()
    assert [entry["name"] for entry in listed["data"]] == ["first"]


def test_an_empty_path_is_not_the_current_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other.yaml").write_text("name: other\n")
    monkeypatch.chdir(tmp_path)
    with TestClient(create_app(scenarios="")) as client:
        key = {"authorization": "Bearer sk_test_default"}
        listed = client.get("/_mock/projects/-/scenarios", headers=key).json()
    assert [entry["name"] for entry in listed["data"]] == ["default"]


# --- servers --------------------------------------------------------------------------------------------


@pytest.fixture
def uvicorn_url(tmp_path: Path) -> Iterator[str]:
    """Where uvicorn, told by the environment, serves what the factory makes."""
    (tmp_path / "first.yaml").write_text("name: first\n")
    (tmp_path / "second.yaml").write_text("name: second\n")
    told = {"MOCKSERVER_SCENARIOS": os.pathsep.join(["first.yaml", "second.yaml"]), "PYTHONPATH": str(ROOT)}
    command = ["-m", "uvicorn", "--factory", "mockserver:create_app", "--port", "0", "--no-access-log"]
    with subprocess.Popen(
        [sys.executable, *command], cwd=tmp_path, env=os.environ | told, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        try:
            running = next(line for line in process.stderr if "running on" in line)
            yield next(word for word in running.split() if word.startswith("http://"))
        finally:
            process.terminate()
            process.stderr.read()
    assert process.returncode == -15


def test_uvicorn_serves_what_the_factory_makes(uvicorn_url: str) -> None:
    with MockServer(uvicorn_url) as server:
        project = server.project("sk_test_default")
        assert [entry["name"] for entry in project.call("GET", "/scenarios")["data"]] == ["first", "second"]


def test_a_ticking_clock_ticks_under_uvicorn(uvicorn_url: str) -> None:
    with MockServer(uvicorn_url) as server:
        project = server.project("sk_test_default")
        began_ms = timestamps.parse_iso(project.clock.now)
        assert project.call("GET", "/outbox", params={"to": "x@example.com", "wait": 0.02})["total"] == 0
        assert timestamps.parse_iso(project.clock.now) >= began_ms + 20


def test_scenarios_and_the_log_come_from_the_environment_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    for file, code in zip(files, ("111111", "222222"), strict=True):
        file.write_text(f"name: {file.stem}\nsettings: {{one_time_code: '{code}'}}\n")
    monkeypatch.setenv("MOCKSERVER_SCENARIOS", os.pathsep.join(map(str, files)))
    monkeypatch.setenv("MOCKSERVER_LOG", "json")
    with TestClient(create_app()) as client:
        assert client.get("/_mock/projects/-/scenarios", headers=DEFAULT_KEY).json()["total"] == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert json.loads(line)["operation"] == "ListScenarios"


# --- limits, and who may use the control API ------------------------------------------------------------


def test_limits_and_control_come_from_the_environment_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_MAX_HEADERS", "20")
    monkeypatch.setenv("MOCKSERVER_CONTROL_TOKEN", "of-the-environment")
    monkeypatch.setenv("MOCKSERVER_ALLOWED_HOSTS", "mock.example, other.example")
    with TestClient(create_app()) as client:
        many = {f"x-{number}": "1" for number in range(20)}
        assert client.get("/v1/contracts", headers=many).status_code == 431
        assert client.get("/_mock/projects").status_code == 401
        headers = {"x-mockserver-token": "of-the-environment"}
        assert client.get("/_mock/projects", headers=headers).status_code == 200
    mine = create_app(limits=RequestLimits(max_headers=30), control=ControlAccess())
    with TestClient(mine) as client:
        assert client.get("/v1/contracts", headers=many).status_code == 401
        assert client.get("/_mock/projects").status_code == 200


def test_a_host_that_cannot_be_read_is_named_with_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOCKSERVER_ALLOWED_HOSTS", "a, b:1")
    with pytest.raises(ValueError, match="MOCKSERVER_ALLOWED_HOSTS: 'b:1' is no host name"):
        create_app()
