"""Behind the balancers of `examples/fleet` two servers are as one."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import httpx
import pytest

from mockserver.cli import main
from mockserver.testing.client import MockServer
from mockserver.testing.server import LiveServer
from tests.fleet.balancers import BALANCERS, Balancer, haproxy
from tests.tables import cases

each_balancer = cases("balancer", *BALANCERS.values(), ids=list(BALANCERS))
CONTRACT = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}


@pytest.fixture
def servers() -> Iterator[Sequence[LiveServer]]:
    """Two servers."""
    with LiveServer() as a, LiveServer() as b:
        yield a, b


def urls(servers: Sequence[LiveServer]) -> list[str]:
    """Where they listen."""
    return [server.url for server in servers]


@each_balancer
def test_every_request_reaches_the_server_of_its_project(
    balancer: Balancer,
    servers: Sequence[LiveServer],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with balancer(urls(servers), tmp_path) as url:
        code = main(["fleet", "check", url])
    said = capsys.readouterr()
    assert code == 0, said
    assert len(said.out.splitlines()) == 12
    # None was left, or opened by mistake.
    assert [len(server.world) for server in servers] == [0, 0]


def test_a_balancer_that_takes_turns_is_found_out(
    servers: Sequence[LiveServer], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with haproxy(urls(servers), tmp_path, balance="roundrobin") as url:
        assert main(["fleet", "check", url, "--projects", "8"]) == 1
    assert " went to another server for " in capsys.readouterr().out


def test_a_check_of_what_is_no_fleet_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with LiveServer() as server:
        url = server.url
    assert main(["fleet", "check", url]) == 3
    assert url in capsys.readouterr().err


def test_a_fleet_without_a_balancer_keeps_each_project(capsys: pytest.CaptureFixture[str]) -> None:
    with LiveServer() as server:
        assert main(["fleet", "check", f"{server.url}/", "--projects", "2"]) == 0
        lines = [line.split() for line in capsys.readouterr().out.splitlines()]
        assert {(line[0], line[-1] == "projects") for line in lines} == {("ok", False)}
        assert len(lines) == 12
        assert len(server.world) == 0


def test_a_fleet_that_refuses_projects_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    with LiveServer(host="0.0.0.0", control_token="a-token-of-this-fleet") as server:
        assert main(["fleet", "check", server.url]) == 3
    assert " makes no project, and answers 40" in capsys.readouterr().err


@each_balancer
def test_projects_are_on_both_servers_and_none_is_on_two(
    balancer: Balancer, servers: Sequence[LiveServer], tmp_path: Path
) -> None:
    with balancer(urls(servers), tmp_path) as url, MockServer(url) as fleet:
        projects = [fleet.create_project() for _ in range(12)]
        for project in projects:
            with project.connect() as api:
                api.post("/v1/contracts", json=CONTRACT)
                assert api.get("/v1/contracts").json()["total"] == 1
    held = [{project.id for project in server.world} for server in servers]
    assert min(map(len, held)) > 0
    assert held[0] | held[1] == {project.id for project in projects}
    assert not held[0] & held[1]


@each_balancer
def test_a_name_a_key_or_none_may_be_given_to_a_new_project(
    balancer: Balancer, servers: Sequence[LiveServer], tmp_path: Path
) -> None:
    with balancer(urls(servers), tmp_path) as url, MockServer(url) as fleet:
        for number in range(8):
            for given in ({"name": f"n{number}"}, {"secret_key": f"sk_test_s{number}"}, {}):
                made = fleet.call("POST", "/_mock/projects", json=given)
                assert fleet.project(made["secret_key"]).id == made["id"]
        for live in range(8):
            made = fleet.call("POST", "/_mock/projects", json={"publishable_key": f"pk_live_l{live}"})
            assert fleet.project(made["secret_key"]).id == made["id"]


@each_balancer
def test_a_project_is_recorded_where_it_is(
    balancer: Balancer, servers: Sequence[LiveServer], tmp_path: Path
) -> None:
    with balancer(urls(servers), tmp_path) as url, MockServer(url) as fleet:
        for project in [fleet.create_project() for _ in range(6)]:
            fleet.start_recording(projects=[project])
            with project.connect() as api:
                api.get("/v1/contracts")
            assert b"/v1/contracts" in fleet.stop_recording(project)


def test_a_lost_server_takes_its_projects_along(servers: Sequence[LiveServer], tmp_path: Path) -> None:
    with haproxy(urls(servers), tmp_path) as url, MockServer(url) as fleet:
        projects = [fleet.create_project(name=f"shop-{number}") for number in range(8)]
        held = {project.id for project in servers[1].world}
        servers[1].stop()
        for project in projects:
            answer = httpx.get(
                f"{url}/_mock/projects/{project.id}", trust_env=False, headers={"connection": "close"}
            )
            assert answer.status_code == (200 if project.id not in held else answer.status_code)
            assert answer.status_code in ((404, 503) if project.id in held else (200,))
