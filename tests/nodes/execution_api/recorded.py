"""The chain of the execution API's tests, and what a node was asked about it.

The files belong to others (ethereum/execution-apis): `MOCKSERVER_EXECUTION_API` names their folder.
"""

import gzip
import json
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import rlp
from eth_utils.crypto import keccak
from jsonschema import Draft202012Validator
from rlp.codec import consume_item

from tests.nodes.node import Node

FOLDER = os.environ.get("MOCKSERVER_EXECUTION_API")
CHAIN = 3503995874084926
NEXT_BASE_FEE = 23_985_819
PRODUCER = "0x" + "00" * 20


class Exchange(NamedTuple):
    """What a node was asked, and what it answered."""

    name: str
    is_example: bool
    """Only the shape of its answer counts."""
    request: dict[str, Any]
    answer: dict[str, Any]

    @property
    def method(self) -> str:
        """What was asked for."""
        name: str = self.request["method"]
        return name


def read_json(name: str) -> Any:
    """A document of the folder. Skips the test where there is none."""
    return json.loads(_read(f"{name}.json.gz"))


@cache
def read_methods() -> dict[str, Any]:
    """The methods of the OpenRPC document, by name."""
    return {method["name"]: method for method in read_json("openrpc")["methods"]}


def wrong_shapes(method: str, result: Any) -> list[str]:
    """In what a result has not the shape that the OpenRPC document says."""
    validator = Draft202012Validator(read_methods()[method]["result"]["schema"])
    return [
        f"{method} {error.json_path}: not as by {error.validator}" for error in validator.iter_errors(result)
    ]


def read_exchanges() -> Iterator[Exchange]:
    """What was recorded, in order."""
    for test in read_json("tests"):
        for each in test["exchanges"]:
            answer = {name: value for name, value in each["response"].items() if name in ("result", "error")}
            yield Exchange(test["name"], test["speconly"], each["request"], answer)


def import_chain(node: Node) -> dict[str, str]:
    """Have a chain the accounts, blocks and transactions of that of the tests.

    Returns our hash of each block by that of the tests. The clock begins in 1970, so that numbers are equal.
    """
    node.project.clock.freeze_at(0)
    state = json.dumps({"alloc": read_json("genesis")["alloc"]}).encode()
    assert node.ask("anvil_loadState", "0x" + state.hex()) is True
    node.fund(PRODUCER)
    node.ask("evm_setAutomine", False)
    hashes: dict[str, str] = {}
    for header, transactions, *_ in _read_blocks():
        number, fee = int.from_bytes(header[8], "big"), b"".join(header[15:16])
        hashes["0x" + header[0].hex()] = node.ask("eth_getBlockByNumber", hex(number - 1))["hash"]
        node.ask("anvil_setNextBlockBaseFeePerGas", hex(int.from_bytes(fee, "big")))
        for each in transactions:
            raw = each if isinstance(each, bytes) else rlp.encode(each)
            assert node.ask("eth_sendRawTransaction", "0x" + raw.hex()) == "0x" + keccak(raw).hex()
        node.ask("evm_mine")
        latest = node.ask("eth_getBlockByNumber", "latest")
        assert (int(latest["number"], 16), len(latest["transactions"])) == (number, len(transactions))
        hashes["0x" + keccak(rlp.encode(header)).hex()] = latest["hash"]
    node.ask("anvil_setNextBlockBaseFeePerGas", hex(NEXT_BASE_FEE))
    return hashes


def _read_blocks() -> Iterator[Any]:
    raw = _read("chain.rlp.gz")
    end = 0
    while end < len(raw):
        block, _, end = consume_item(raw, end)
        yield block


def _read(name: str) -> bytes:
    if FOLDER is None:
        pytest.skip("MOCKSERVER_EXECUTION_API names no folder")
    return gzip.decompress(Path(FOLDER, name).read_bytes())
