"""Containers, as testcontainers starts them, with a fake engine, which starts a server in this process.

So these tests hold what the engine is asked for, the wait and the clients, and not that an image starts.
"""

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import httpx
import pytest

from mockserver.server.answering.control_token import TOKEN_HEADER, TOKEN_VARIABLE
from mockserver.testing.container import PORT, LiveServerContainer
from mockserver.testing.server import LiveServer
from tests.examples.consumers import EXAMPLES, ROOT

TOKEN = "a-token-of-the-test"


class FakeEngine:
    """What testcontainers asks of an engine. A container that is started is a server in this process."""

    def __init__(self, **_: object) -> None:
        self.client = SimpleNamespace(close=lambda: None)
        self.created: dict[str, Any] = {}
        self.server: LiveServer | None = None
        self.is_removed = False
        engines.append(self)

    def create(self, image: str, **options: Any) -> Any:
        self.created = {"image": image, **options}
        return SimpleNamespace(
            short_id="0",
            id="0",
            status="running",
            reload=lambda: None,
            remove=self.remove,
            logs=lambda: b"loading",
        )

    def start(self, container: object) -> None:
        if self.created["image"] != "hangs":
            self.server = LiveServer(control_token=self.created["environment"][TOKEN_VARIABLE])

    def remove(self, **_: object) -> None:
        self.is_removed = True
        if self.server is not None:
            self.server.stop()

    def get_connection_mode(self) -> Any:
        from testcontainers.core.config import ConnectionMode

        return ConnectionMode.docker_host

    def host(self) -> str:
        return "localhost"

    def port(self, container_id: str, port: int) -> str:
        assert port == PORT
        return self.server.url.rpartition(":")[2] if self.server is not None else "1"


engines: list[FakeEngine] = []


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """testcontainers with an engine that is a fake."""
    reason = "the extra `container` is not installed"
    container = pytest.importorskip("testcontainers.core.container", reason=reason)
    monkeypatch.setattr(container, "DockerClient", FakeEngine)
    monkeypatch.setattr(container.c, "ryuk_disabled", True)
    engines.clear()
    yield
    for engine in engines:
        engine.remove()


def test_a_container_is_asked_for_with_what_the_image_reads(tmp_path: Path) -> None:
    with LiveServerContainer("mockserver", clock="2026-01-31T12:00:00Z", scenarios=tmp_path):
        created = engines[0].created
    assert created["image"] == "mockserver"
    assert created["ports"] == {str(PORT): None}
    assert created["environment"]["MOCKSERVER_CLOCK"] == "2026-01-31T12:00:00Z"
    assert created["volumes"] == {str(tmp_path): {"bind": "/scenarios", "mode": "ro"}}


def test_what_is_asked_for_is_what_the_image_has() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert f"EXPOSE {PORT}\n" in dockerfile
    assert "MOCKSERVER_SCENARIOS=/scenarios" in dockerfile


def test_a_ready_container_is_controlled_by_its_own_token() -> None:
    with LiveServerContainer("mockserver") as server:
        project = server.control.create_project(name="cart")
        assert project.url == server.url
        assert httpx.get(f"{server.url}/_mock/projects/{project.id}").status_code == 401
        with httpx.Client(base_url=server.url, headers=project.headers()) as shop:
            assert shop.get("/_mock/ready").status_code == 200
    assert engines[0].is_removed


def test_two_containers_have_tokens_of_their_own() -> None:
    tokens = {LiveServerContainer("mockserver").control_token for _ in "12"}
    assert len(tokens) == 2
    assert LiveServerContainer("mockserver", control_token=TOKEN).control_token == TOKEN


def test_a_container_that_stays_unready_is_removed_with_its_log() -> None:
    server = LiveServerContainer("hangs", startup_timeout_s=0)
    with pytest.raises(TimeoutError, match="_mock/ready") as failed, server:
        pytest.fail("it started")
    assert failed.value.__notes__ == ["loading"]
    assert engines[0].is_removed


def test_the_examples_containers_take_their_tokens() -> None:
    module = _load(EXAMPLES / "python" / "containers.py")
    for project in module.project_in_container("mockserver"):
        assert project.clock.advance(60) == []
    with module.generic_container("mockserver", TOKEN) as container:
        answer = httpx.get(f"{module.url_of(container)}/_mock/projects", headers={TOKEN_HEADER: TOKEN})
    assert answer.status_code == 200
    assert all(engine.is_removed for engine in engines)


def test_the_package_is_imported_without_testcontainers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "testcontainers.core.container", None)
    monkeypatch.delitem(sys.modules, "mockserver.testing.container")
    module = importlib.import_module("mockserver.testing.container")
    with pytest.raises(ImportError):
        module.LiveServerContainer("mockserver")


def _load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
