"""What the README claims: its own line of the comparison, and the figures that are cheap to measure."""

import importlib.util
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from eth_account import Account

from mockserver.state.world import World
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.tables import cases

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAYMENT = {"chainId": 80002, "calls": [{"to": "0x" + "ab" * 20, "value": "5"}]}
RESET = "rules: [{when: GetContracts, then: {fault: connection_reset_by_peer}}]"


def table(heading: str) -> list[list[str]]:
    """The cells of the table below a heading, the row of names first."""
    section = README.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row] for number, row in enumerate(rows) if number != 1]


@pytest.fixture(scope="module")
def server() -> Iterator[LiveServer]:
    with LiveServer() as server:
        yield server


@pytest.fixture
def project(server: LiveServer) -> MockProject:
    return server.control.create_project()


def _keeps_rows_and_balances(project: MockProject) -> None:
    with project.connect() as api:
        wallet = _wallet(project, api)
        before = int(project.holdings(80002, wallet["address"])["balance_wei"])
        receipt = api.post("/v2/transactions", json={**PAYMENT, "accountId": wallet["id"]}).json()["receipt"]
        assert api.get(f"/v2/accounts/{wallet['id']}").json()["address"] == wallet["address"]
    after = int(project.holdings(80002, wallet["address"])["balance_wei"])
    assert before - after == 5 + int(receipt["gasFee"])


def _moves_time(project: MockProject) -> None:
    before = project.clock.now_s
    project.clock.advance(3600)
    assert project.clock.now_s - before == 3600


def _breaks_connections(project: MockProject) -> None:
    project.load(RESET)
    headers = {"authorization": f"Bearer {project.secret_key}"}
    with pytest.raises(httpx.ReadError):
        httpx.get(f"{project.url}/v1/contracts", headers=headers)


def _signs_and_mines(project: MockProject) -> None:
    digest = "0x" + "12" * 32
    with project.connect() as api:
        wallet = _wallet(project, api)
        path = f"/v2/accounts/backend/{wallet['id']}/sign"
        signed = api.post(path, json={"data": digest}, auth=project.wallet_auth).json()
        mined = api.post("/v2/transactions", json={**PAYMENT, "accountId": wallet["id"]}).json()
    assert Account._recover_hash(digest, signature=signed["signature"]) == wallet["address"]
    assert mined["receipt"]["blockNumber"] > 0


def _wallet(project: MockProject, api: httpx.Client) -> dict[str, str]:
    body = {"chainType": "EVM"}
    made: dict[str, str] = api.post("/v2/accounts/backend", json=body, auth=project.wallet_auth).json()
    return made


CLAIMS: dict[str, Callable[[MockProject], None]] = {
    "State between calls": _keeps_rows_and_balances,
    "Time that tests move": _moves_time,
    "Connection faults": _breaks_connections,
    "Signs and mines": _signs_and_mines,
}


@cases("column", *CLAIMS)
def test_what_the_comparison_says_of_this_server_is_so(column: str, project: MockProject) -> None:
    names, ours, *_ = table("Comparison")
    assert ours[0] == "mockserver"
    assert ours[names.index(column)] != "no"
    CLAIMS[column](project)


def test_every_column_but_what_it_is_for_and_runs_on_is_tried() -> None:
    assert set(table("Comparison")[0]) - {"", "Which API", "Runs on"} == set(CLAIMS)


def test_every_figure_names_a_command_that_there_is() -> None:
    for _, figure, command in table("What it costs")[1:]:
        assert re.search(r"\d|half|same|twice|about", figure)
        match = re.fullmatch(r"`python -m ([\w.]+)( --\w+)?`", command)
        assert match, command
        assert importlib.util.find_spec(match[1])


@cases("row, limit_s", ("a new project", 0.002), ("a snapshot", 0.002))
def test_a_figure_is_right_within_the_differences_of_machines(row: str, limit_s: float) -> None:
    assert any(cells[0].startswith(row) for cells in table("What it costs"))
    world = World()
    project = world.create()
    action: Callable[[], object] = world.create if row == "a new project" else project.snapshot
    assert min(_seconds(action) for _ in range(50)) < limit_s


def _seconds(action: Callable[[], object]) -> float:
    begun = time.perf_counter()
    action()
    return time.perf_counter() - begun
