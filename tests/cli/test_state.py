"""`serve --state`: a server begins with projects that a file has."""

import re
import sys
from pathlib import Path

import pytest

from mockserver.testing.client import MockServer
from mockserver.testing.server import LiveServer
from tests.cli.conftest import Run, Serve, run
from tests.tables import cases

CONTRACT = {"name": "Token", "chainId": 80002, "address": "0x" + "ab" * 20}


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """The state of a project with one contract, in a file."""
    file = tmp_path / "warm.jsonl"
    with LiveServer() as server:
        project = server.control.create_project(name="shop", clock="frozen")
        with project.connect() as api:
            api.post("/v1/contracts", json=CONTRACT)
        file.write_bytes(project.state())
    return file


def contracts(url: str, key: str) -> int:
    """How many contracts the project of a key has."""
    with MockServer(url) as server, server.project(key).connect() as api:
        total: int = api.get("/v1/contracts").json()["total"]
        return total


def test_a_server_begins_with_the_project_of_a_state(serve: Serve, state: Path) -> None:
    served = serve("--state", str(state))
    with MockServer(served.url) as server:
        # What it began with was not changed since, so it may be replaced.
        server.load_state(state.read_bytes())
    assert contracts(served.url, "sk_test_shop") == 1
    # The default scenario has one, too.
    assert contracts(served.url, "sk_test_default") == 1


def test_a_server_begins_with_all_projects_of_a_recording(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "world.jsonl"
    with LiveServer() as server:
        for name in ("default", "cart"):
            project = server.control.create_project(name=name)
            with project.connect() as api:
                for byte in ("a1", "b2"):
                    api.post("/v1/contracts", json={**CONTRACT, "address": "0x" + byte * 20})
        server.control.start_recording()
        file.write_bytes(server.control.stop_recording())
    served = serve("--state", str(file))
    assert contracts(served.url, "sk_test_cart") == 2
    assert contracts(served.url, "sk_test_default") == 2


def test_a_state_replaces_an_unused_project_with_its_key(serve: Serve, tmp_path: Path) -> None:
    file = tmp_path / "older.jsonl"
    with LiveServer() as server:
        project = server.control.create_project(name="default")
        with project.connect() as api:
            api.post("/v1/contracts", json={**CONTRACT, "address": "0x" + "a1" * 20})
            state = api.get("/_mock/projects/-/state").text
    # An older version had the default project by another id, and no digest of the lines.
    older = state.replace(project.id, "pro_00000000-0000-4000-8000-000000000000")
    file.write_text(re.sub(r',"lines":"[0-9a-f]+"', "", older))
    served = serve("--state", str(file))
    assert contracts(served.url, "sk_test_default") == 1


def test_a_command_runs_against_a_state(state: Path) -> None:
    code = (
        "import os, httpx; headers = {'authorization': 'Bearer sk_test_shop'};"
        "print(httpx.get(os.environ['MOCKSERVER_URL'] + '/v1/contracts', headers=headers).json()['total'])"
    )
    ran = run("exec", "--state", str(state), "--", sys.executable, "-c", code)
    assert (ran.returncode, ran.stdout.strip()) == (0, "1")


@cases("content, reason", (b"{}\n", "line 1: is not the first line of a recording"), (None, "No such file"))
def test_what_is_no_state_keeps_a_server_from_starting(
    run_here: Run, tmp_path: Path, content: bytes | None, reason: str
) -> None:
    file = tmp_path / "warm.jsonl"
    if content is not None:
        file.write_bytes(content)
    ran = run_here("serve", "--port", "0", "--state", str(file))
    assert ran.returncode == 1
    assert str(file) in ran.stderr
    assert reason in ran.stderr
