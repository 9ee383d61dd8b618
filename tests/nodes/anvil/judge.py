"""Anvil, set up as the node of a project is: the same chain, the same block, the same producer of blocks."""

import re
import subprocess
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest

from tests.clients.installing import installed
from tests.nodes.node import ask_rpc

CHAIN = 11155111
"""A chain without fees of another one below it."""
BASE_FEE = 10**9
HERE = Path(__file__).parent
_BLOCK_S = 2
_PATIENCE_S = 60


@dataclass
class Anvil:
    """A node of Foundry that listens."""

    client: httpx.Client

    def ask(self, method: str, *params: Any) -> Any:
        """What a method answers, or its error."""
        return ask_rpc(self.client, "/", method, params)


def foundry_program(name: str) -> Path:
    """A program of Foundry, of this platform. Skips the test where there is none."""
    found = [*(installed(HERE) / "@foundry-rs").glob(f"{name}-*/bin/{name}")]
    if not found:
        pytest.skip(f"there is no {name} for this platform")
    return found[0]


@contextmanager
def anvil(first_block: int, coinbase: str) -> Iterator[Anvil]:
    """Anvil, whose blocks are two seconds long and numbered by their time, as ours are."""
    options = {
        "--accounts": 0,
        "--chain-id": CHAIN,
        "--hardfork": "osaka",
        "--number": first_block,
        "--timestamp": first_block * _BLOCK_S,
        "--gas-limit": 30_000_000,
        "--base-fee": BASE_FEE,
        "--order": "fifo",
    }
    with started(options) as node:
        node.ask("anvil_setCoinbase", coinbase)
        node.ask("anvil_setBlockTimestampInterval", _BLOCK_S)
        yield node


@contextmanager
def started(options: dict[str, object]) -> Iterator[Anvil]:
    """Anvil with options, at a free port."""
    pairs = {"--port": 0, **options}.items()
    command = [
        str(foundry_program("anvil")),
        "--steps-tracing",
        *(str(each) for pair in pairs for each in pair),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            listens = next(filter(None, (re.match(r"Listening on (\S+)", line) for line in process.stdout)))
            # It would wait for the one who reads what it logs.
            Thread(target=deque, args=(process.stdout, 0), daemon=True).start()
            url = f"http://{listens[1]}"
            with httpx.Client(base_url=url, trust_env=False, timeout=_PATIENCE_S) as client:
                yield Anvil(client)
        finally:
            process.terminate()
