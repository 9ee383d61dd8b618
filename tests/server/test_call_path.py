"""How far a reader has to follow a request through the code."""

import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import FrameType

from httpx import Client

import mockserver
from mockserver.state.project import Project
from tests.accounts import AMOY, account_of

ROOT = f"{Path(mockserver.__file__).parent}/"
MOST_FILES = 43
MOST_CROSSINGS = 219 if find_spec("coincurve") else 220
"""Without the library of the curve its module is asked once more."""


@contextmanager
def calls_between_files() -> Iterator[Counter[tuple[str, str]]]:
    """How often each file of the package is called meanwhile, by the file that calls it."""
    found: Counter[tuple[str, str]] = Counter()

    def note(frame: FrameType, event: str, arg: object) -> None:
        callee, caller = frame.f_code.co_filename, frame.f_back
        if event == "call" and callee.startswith(ROOT):
            found[caller.f_code.co_filename if caller else "", callee] += 1

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)


def test_creating_a_transaction_passes_through_few_files(api: Client, project: Project) -> None:
    account = account_of(project, "plain", backend=True)
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": "0x" + "ab" * 20, "value": "1"}]}
    # What is imported on first use is not what a request passes through, and the library of the curve is only
    # asked by a process that has signed a few times.
    for _ in range(10):
        api.post("/v2/transactions", json=body)
    with calls_between_files() as calls:
        answer = api.post("/v2/transactions", json=body)
    assert answer.json()["status"] == "successful"
    aside = {"testing/transports/in_process.py", "crypto/libsecp256k1.py"}
    files = {callee.removeprefix(ROOT) for _, callee in calls} - aside
    crossings = [
        f"{caller} -> {callee}: {count}"
        for (caller, callee), count in calls.items()
        if caller != callee and caller.startswith(ROOT) and callee.removeprefix(ROOT) not in aside
    ]
    assert len(files) <= MOST_FILES, sorted(files)
    assert sum(int(each.rpartition(" ")[2]) for each in crossings) <= MOST_CROSSINGS, crossings
