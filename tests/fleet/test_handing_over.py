"""A server that ends hands its projects over to the others of its fleet."""

import asyncio
import signal
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import ClassVar

import httpx
import pytest

from mockserver.launch.application import AppOptions, build_app
from mockserver.launch.handing_over import hand_over
from mockserver.server.answering.control_access import ControlAccess
from mockserver.server.assembly import assemble
from mockserver.state.world import World
from mockserver.testing.client import MockServer
from mockserver.testing.server import LiveServer
from tests.cli.conftest import Serve, serve
from tests.fleet.balancers import haproxy, listen, url_of
from tests.transport import InProcessTransport

__all__ = ["serve"]

CONTRACT = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}


@pytest.fixture
def other() -> Iterator[LiveServer]:
    """The server that takes over, or the balancer that leads to it."""
    with LiveServer(control_token="my-control-token") as server:
        yield server


def test_projects_that_were_changed_are_handed_over(other: LiveServer) -> None:
    world = World()
    kept, changed, idle = (world.create(name=name) for name in ("kept", "changed", "idle"))
    world.note_beginning()
    app = assemble(world, control=other_access())
    client = httpx.Client(transport=InProcessTransport(app), base_url="http://mock")
    client.post("/v1/contracts", json=CONTRACT, headers={"authorization": f"Bearer {changed.secret_key}"})
    idle.is_declared = False
    idle.put_away()
    asyncio.run(hand_over(app, other.url))
    assert [project.name for project in other.world] == ["idle", "changed"]
    assert kept not in other.world
    with other.control.project(changed.secret_key).connect() as api:
        assert api.get("/v1/contracts").json()["total"] == 1
    refused = client.get("/_mock/ready")
    assert (refused.status_code, refused.json()["detail"]) == (503, "It ends, and hands its projects over.")
    assert client.get("/_mock/health").status_code == 200


def test_what_a_server_began_with_is_not_handed_over(other: LiveServer) -> None:
    app = build_app(AppOptions(control=other_access()))
    asyncio.run(hand_over(app, other.url))
    assert len(other.world) == 0


def other_access() -> ControlAccess:
    """The servers of a fleet have one control token."""
    return ControlAccess(token="my-control-token")


def test_a_project_that_is_refused_is_named(other: LiveServer, capsys: pytest.CaptureFixture[str]) -> None:
    world = World()
    project = world.create(name="shop")
    other.control.create_project(name="other", secret_key=project.secret_key)
    asyncio.run(hand_over(assemble(world, control=other_access()), other.url))
    said = capsys.readouterr().err
    assert f"shop ({project.id}) is lost" in said
    assert "key-taken" in said


class Balancer(BaseHTTPRequestHandler):
    """A balancer that answers a page until it has found its servers; its first PUT breaks off."""

    place = ""
    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        """Answer."""
        self.asked.append(self.command)
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.asked.count("PUT") == 1 and self.command == "PUT":
            return
        if len(self.asked) == 1:
            self.answer(200, b"<!doctype html>")
            return
        headers = {name: value for name, value in self.headers.items() if name != "host"}
        found = httpx.request(self.command, self.place + self.path, headers=headers, content=body)
        self.answer(found.status_code, found.content)

    do_PUT = do_GET

    def answer(self, status: int, body: bytes) -> None:
        """Send an answer."""
        self.send_response(status)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def test_a_balancer_that_is_late_or_breaks_off_loses_no_project(
    other: LiveServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = World()
    world.create(name="shop")
    monkeypatch.setattr("mockserver.launch.handing_over._PAUSE_S", 0)
    monkeypatch.setattr(Balancer, "place", other.url)
    monkeypatch.setattr(Balancer, "asked", [])
    with HTTPServer(("127.0.0.1", 0), Balancer) as balancer:
        Thread(target=balancer.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{balancer.server_port}"
        asyncio.run(hand_over(assemble(world, control=other_access()), url))
        balancer.shutdown()
    assert [project.name for project in other.world] == ["shop"]
    assert Balancer.asked == ["GET", "GET", "PUT", "GET", "PUT"]


def test_a_server_of_a_fleet_ends_without_losing_a_project(serve: Serve, tmp_path: Path) -> None:
    with LiveServer() as stays:
        place = tmp_path / "balancer"
        place.mkdir()
        listener = listen()
        leaves = serve("--hand-over", url_of(listener))
        with haproxy([stays.url, leaves.url], place, on=listener) as url, MockServer(url) as fleet:
            projects = [fleet.create_project(name=f"shop-{number}") for number in range(8)]
            for project in projects:
                with project.connect() as api:
                    api.post("/v1/contracts", json=CONTRACT)
            assert 0 < len(stays.world) < 8
            code, _ = leaves.end()
            assert code == 0
            for project in projects:
                with project.connect() as api:
                    assert api.get("/v1/contracts").json()["total"] == 1
            assert len(stays.world) == 8


def test_a_second_signal_ends_a_server_that_waits_for_others(serve: Serve) -> None:
    leaves = serve("--hand-over", "http://127.0.0.1:9")
    with MockServer(leaves.url) as server:
        server.create_project()
        leaves.process.send_signal(signal.SIGTERM)
        while server.ready():
            pass
    assert leaves.end()[0] == 0
