"""web3.py with the node of a chain: what applications in Python do, by the library that they use."""

from collections.abc import Iterator
from typing import Any

import pytest

from mockserver.testing.server import LiveServer
from tests.nodes.node import ALICE, BOB, CHAIN, TOKEN

library: Any = pytest.importorskip("web3", reason="web3.py is not installed")


@pytest.fixture
def web3() -> Iterator[Any]:
    """web3.py, connected to a node on which Alice has a coin."""
    with LiveServer() as server:
        url = server.control.create_project(name="web3").rpc_url(CHAIN)
        client = library.Web3(library.HTTPProvider(url))
        client.provider.make_request("anvil_setBalance", [ALICE.address, hex(10**18)])
        yield client


def send(web3: Any, call: Any) -> Any:
    """Sign a transaction of Alice with what web3.py fills in, send it, and wait for its receipt."""
    nonce = web3.eth.get_transaction_count(ALICE.address)
    filled = call.build_transaction({"from": ALICE.address, "nonce": nonce})
    signed = ALICE.sign_transaction(filled)
    return web3.eth.wait_for_transaction_receipt(web3.eth.send_raw_transaction(signed.raw_transaction))


def test_web3_py_deploys_calls_and_reads_events(web3: Any) -> None:
    assert (web3.is_connected(), web3.eth.chain_id) == (True, CHAIN)
    code = web3.eth.contract(abi=TOKEN["abi"], bytecode=TOKEN["creation_cancun"])
    deployed = send(web3, code.constructor("Token", "TKN", 1000))
    token = web3.eth.contract(address=deployed["contractAddress"], abi=TOKEN["abi"])
    polled = token.events.Transfer.create_filter(from_block="latest")
    receipt = send(web3, token.functions.transfer(BOB.address, 7))
    assert token.functions.balanceOf(BOB.address).call() == 7
    (event,) = token.events.Transfer().process_receipt(receipt)
    assert (event["args"]["to"], event["args"]["value"]) == (BOB.address, 7)
    assert [each["args"] for each in polled.get_new_entries()][-1] == event["args"]
    assert token.events.Transfer.get_logs(from_block=receipt["blockNumber"])[0]["args"] == event["args"]
    # The selector of ERC20InsufficientBalance.
    with pytest.raises(library.exceptions.ContractCustomError, match="0xe450d38c"):
        token.functions.transfer(BOB.address, 5000).call({"from": ALICE.address})


def test_web3_py_reads_blocks_transactions_and_traces(web3: Any) -> None:
    sent = ALICE.sign_transaction(
        {
            "to": BOB.address,
            "value": 1,
            "gas": 21_000,
            "nonce": 0,
            "chainId": CHAIN,
            "maxFeePerGas": 10**9,
            "maxPriorityFeePerGas": 10**6,
        }
    )
    receipt = web3.eth.wait_for_transaction_receipt(web3.eth.send_raw_transaction(sent.raw_transaction))
    block = web3.eth.get_block(receipt["blockNumber"], full_transactions=True)
    assert block["transactions"] == [web3.eth.get_transaction(receipt["transactionHash"])]
    assert web3.eth.get_raw_transaction(receipt["transactionHash"]) == sent.raw_transaction
    assert web3.eth.fee_history(1, "latest", [50])["reward"]
    traced = web3.geth.debug.trace_transaction(receipt["transactionHash"])
    assert (traced["gas"], traced["structLogs"]) == (21_000, [])
    with pytest.raises(library.exceptions.TransactionNotFound):
        web3.eth.get_transaction("0x" + "00" * 32)
