"""The examples that the Node SDK ships run to their end, unmodified, but for those named here."""

import os
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.clients.conftest import run_node
from tests.clients.editions import Edition, editions
from tests.tables import cases

pytestmark = pytest.mark.clients

EDITIONS = [edition for edition in editions() if edition.client == "node"]

# A pattern of examples, the versions it is about, and why they do not finish.
UNFINISHED = [
    (r"evm/embedded/pregenerate\.ts", r".*", "needs the service that keeps shares"),
    (r"solana/transactions/.*", r".*", "needs one account of the real service, with money, and a node"),
    (r"evm/policies/validation\.ts", r".*", "shows the errors of a policy that is wrong, and ends with them"),
]

# The hosts that examples ask for, in vain: 0.7.7 asks the service that keeps shares, without keys too.
TRIED = {"0.7.7": ["shield.openfort.io"]}


@pytest.fixture(scope="module")
def ended(stage: Path, mock_url: str) -> dict[Edition, dict[str, Any]]:
    """How the examples of each version ended, run side by side."""
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        found = pool.map(lambda edition: run_node(stage / str(edition), mock_url, "examples.mjs"), EDITIONS)
        return dict(zip(EDITIONS, found, strict=True))


@cases("edition", *EDITIONS, ids=str)
def test_examples_run_to_their_end(ended: dict[Edition, dict[str, Any]], edition: Edition) -> None:
    examples = ended[edition]["examples"]
    assert len(examples) > 30

    known = [path for path, versions, _ in UNFINISHED if re.fullmatch(versions, edition.version)]
    failing = {path: error for path, error in examples.items() if error is not None}
    assert {p: e for p, e in failing.items() if not re.fullmatch("|".join(known), p)} == {}
    # An example that has come to finish is taken off the list.
    finishing = [path for path in examples if re.fullmatch("|".join(known), path) and path not in failing]
    assert finishing == []


@cases("edition", *EDITIONS, ids=str)
def test_examples_reach_only_the_mock_and_stand_ins(
    ended: dict[Edition, dict[str, Any]], edition: Edition
) -> None:
    assert ended[edition]["strangers"] == TRIED.get(edition.version, [])
