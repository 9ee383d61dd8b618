"""A server in a container, with a stand-in for testcontainers: what it is told, and what is left of it."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any, Self

import pytest

from mockserver.testing.container import LiveServerContainer

TOKEN = "a-token-of-the-test"


class StandIn:
    """Notes what it is told, as the `DockerContainer` of testcontainers is told it."""

    fails: bool = False
    """Whether it does not become ready."""

    def __init__(self, image: str) -> None:
        self.told: dict[str, Any] = {"image": image}
        self.done: list[str] = []

    def with_exposed_ports(self, *ports: int) -> Self:
        self.told["ports"] = ports
        return self

    def with_envs(self, **variables: str) -> Self:
        self.told["variables"] = variables
        return self

    def waiting_for(self, strategy: "Ready") -> Self:
        self.told["ready"] = strategy
        return self

    def with_volume_mapping(self, host: str, container: str, mode: str) -> Self:
        self.told["volume"] = (host, container, mode)
        return self

    def get_container_host_ip(self) -> str:
        return "127.0.0.1"

    def get_exposed_port(self, port: int) -> int:
        return 10_000 + port

    def start(self) -> None:
        self.done.append("start")
        if self.fails:
            raise TimeoutError("it is not ready")

    def stop(self) -> None:
        self.done.append("stop")


class Ready:
    """Notes what it waits for, as the `HttpWaitStrategy` of testcontainers."""

    def __init__(self, port: int, path: str) -> None:
        self.asked = (port, path)
        self.timeout_s = 0

    def with_startup_timeout(self, timeout_s: int) -> Self:
        self.timeout_s = timeout_s
        return self


@pytest.fixture(autouse=True)
def testcontainers(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is imported of testcontainers."""
    for name in ("testcontainers", "testcontainers.core"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    for name, stand_in in (
        ("container.DockerContainer", StandIn),
        ("wait_strategies.HttpWaitStrategy", Ready),
    ):
        module, _, member = name.partition(".")
        imported = ModuleType(module)
        setattr(imported, member, stand_in)
        monkeypatch.setitem(sys.modules, f"testcontainers.core.{module}", imported)


def stand_in(server: LiveServerContainer) -> StandIn:
    container: object = server.container
    assert isinstance(container, StandIn)
    return container


def told(server: LiveServerContainer) -> dict[str, Any]:
    return stand_in(server).told


def test_a_container_gets_clock_and_token_and_is_waited_for() -> None:
    server = LiveServerContainer("mock", clock="ticking", control_token=TOKEN)
    ready = told(server).pop("ready")
    assert (ready.asked, ready.timeout_s) == ((4242, "/_mock/ready"), 60)
    assert told(server) == {
        "image": "mock",
        "ports": (4242,),
        "variables": {"MOCKSERVER_CONTROL_TOKEN": TOKEN, "MOCKSERVER_CLOCK": "ticking"},
    }


def test_a_container_has_its_own_token_or_a_given_one() -> None:
    one, other = LiveServerContainer("mock"), LiveServerContainer("mock")
    assert one.control_token != other.control_token
    assert told(one)["variables"] == {
        "MOCKSERVER_CONTROL_TOKEN": one.control_token,
        "MOCKSERVER_CLOCK": "frozen",
    }
    assert len(one.control_token) >= 32


def test_a_container_reads_a_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    server = LiveServerContainer("mock", scenarios=Path("shop"))
    assert told(server)["volume"] == (str(tmp_path / "shop"), "/scenarios", "ro")


def test_a_containers_client_has_its_address_and_token() -> None:
    with LiveServerContainer("mock") as server:
        assert (server.url, server.control.url) == ("http://127.0.0.1:14242", server.url)
        assert server.control.control_token == server.control_token
        control = server.control
    assert stand_in(server).done == ["start", "stop"]
    with pytest.raises(RuntimeError, match="closed"):
        control.ready()


def test_a_container_that_nothing_was_asked_of_is_stopped() -> None:
    with LiveServerContainer("mock") as server:
        pass
    assert stand_in(server).done == ["start", "stop"]


def test_a_container_that_does_not_become_ready_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StandIn, "fails", True)
    server = LiveServerContainer("mock", startup_timeout_s=1)
    assert told(server)["ready"].timeout_s == 1
    with pytest.raises(TimeoutError, match="it is not ready"):
        server.__enter__()
    assert stand_in(server).done == ["start", "stop"]
