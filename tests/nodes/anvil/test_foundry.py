"""What Foundry's cast asks a node, and a fork of the node by Anvil."""

import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.nodes.anvil.judge import foundry_program, started
from tests.nodes.node import ALICE, BOB, CHAIN, TOKEN

pytestmark = pytest.mark.clients

SUPPLY, HELD = 1000, 10**18
SIGNED = ("--private-key", ALICE.key.to_0x_hex())


class Cast:
    """cast, which asks the node of a project's chain."""

    def __init__(self, project: MockProject) -> None:
        self.url = project.rpc_url(CHAIN)
        self._program = str(foundry_program("cast"))
        self._environment = os.environ | {"ETH_RPC_URL": self.url}

    def run(self, *arguments: str) -> Any:
        """What a command prints: JSON where it is, and an error as text."""
        command = [self._program, *arguments]
        ran = subprocess.run(
            command, env=self._environment, capture_output=True, text=True, timeout=60, check=False
        )
        text = (ran.stdout or ran.stderr).strip()
        try:
            return json.loads(text)
        except ValueError:
            return text


@pytest.fixture
def cast() -> Iterator[Cast]:
    """cast with a node on which Alice has coins."""
    with LiveServer() as server:
        made = Cast(server.control.create_project(name="foundry"))
        made.run("rpc", "anvil_setBalance", ALICE.address, hex(HELD))
        yield made


@pytest.fixture
def token(cast: Cast) -> str:
    """A contract of Alice's."""
    given = ("constructor(string,string,uint256)", "Gold", "GLD", str(SUPPLY))
    created = cast.run("send", *SIGNED, "--json", "--create", TOKEN["creation_cancun"], *given)
    address: str = created["contractAddress"]
    return address


def test_cast_sees_what_waits_for_a_block(cast: Cast) -> None:
    cast.run("rpc", "evm_setAutomine", "false")
    sent = cast.run("send", *SIGNED, BOB.address, "--value", "7", "--async")
    latest = cast.run("block-number")
    pending = cast.run("block", "pending", "--json")
    assert (int(pending["number"], 16), pending["transactions"]) == (latest + 1, [sent])
    (waiting,) = cast.run("tx-pool", "inspect")["pending"].values()
    assert waiting["0"].startswith(f"{BOB.address.lower()}: 7 wei + 21000 gas")
    cast.run("rpc", "evm_mine")
    assert cast.run("receipt", sent, "status") is True
    assert cast.run("balance", BOB.address) == 7


def test_cast_executes_a_transaction_again(cast: Cast, token: str) -> None:
    sent = cast.run("send", *SIGNED, token, "transfer(address,uint256)", BOB.address, "7", "--json")
    assert "Transaction successfully executed" in cast.run("run", sent["transactionHash"])
    logs = cast.run("logs", "--address", token, "--from-block", sent["blockNumber"], "--json")
    assert [each["transactionHash"] for each in logs] == [sent["transactionHash"]]
    before = str(int(sent["blockNumber"], 16) - 1)
    balances = [
        cast.run("call", token, "balanceOf(address)(uint256)", BOB.address, "--block", block)
        for block in (before, "latest")
    ]
    assert balances == [0, 7]
    block = cast.run("block", "latest", "--json")
    assert cast.run("find-block", str(int(block["timestamp"], 16))) == int(block["number"], 16)


def test_cast_is_told_what_is_not_there(cast: Cast) -> None:
    assert "there is no state trie" in cast.run("proof", BOB.address)
    assert cast.run("trace", "0x" + "11" * 32) == []


def test_what_forks_ask_has_the_members_that_anvil_gives_it(cast: Cast, token: str) -> None:
    with started({"--hardfork": "osaka", "--order": "fifo", "--chain-id": CHAIN}) as judge:
        ours, theirs = cast.run("rpc", "anvil_nodeInfo"), judge.ask("anvil_nodeInfo")
        same = ("hardFork", "transactionOrder", "forkConfig")
        assert [ours[name] for name in same] == [theirs[name] for name in same]
        assert shape(ours) == shape(theirs)
        info = cast.run("rpc", "eth_getAccountInfo", token, "latest")
        assert shape(info) == shape(judge.ask("eth_getAccountInfo", token, "latest"))
        assert (info["nonce"], info["code"]) == ("0x1", cast.run("code", token))


def shape(value: Any) -> Any:
    """The members of an answer, with the types of their values."""
    return {name: shape(each) for name, each in value.items()} if isinstance(value, dict) else type(value)


def test_a_fork_by_anvil_goes_on_from_the_node(cast: Cast, token: str) -> None:
    asked = {"to": token, "data": cast.run("calldata", "balanceOf(address)", ALICE.address)}
    with started({"--fork-url": cast.url}) as fork:
        assert int(fork.ask("eth_blockNumber"), 16) == cast.run("block-number")
        assert int(fork.ask("eth_call", asked, "latest"), 16) == SUPPLY
        assert int(fork.ask("eth_getTransactionCount", ALICE.address, "latest"), 16) == 1
        assert fork.ask("eth_getCode", token, "latest") == cast.run("code", token)
        fork.ask("anvil_setBalance", BOB.address, "0x7")
        assert cast.run("balance", BOB.address) == 0
