"""How far a reader has to follow a request through the code."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import httpx

import mockserver
from mockserver.state.project import Project
from tests.accounts import AMOY, account_of

ROOT = Path(mockserver.__file__).parent
MOST_FILES = 40


@contextmanager
def files_called() -> Iterator[set[str]]:
    """The files of the package in which a function is called meanwhile."""
    found: set[str] = set()

    def note(frame: FrameType, event: str, arg: object) -> None:
        path = Path(frame.f_code.co_filename)
        if event == "call" and path.is_relative_to(ROOT):
            found.add(str(path.relative_to(ROOT)))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield found
    finally:
        sys.setprofile(before)


def test_creating_a_transaction_leads_through_few_files(api: httpx.Client, project: Project) -> None:
    account = account_of(project, "plain")
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": "0x" + "ab" * 20, "value": "1"}]}
    # What is imported on first use is not what a request passes through.
    api.post("/v2/transactions", json=body)
    with files_called() as found:
        answer = api.post("/v2/transactions", json=body)
    assert answer.json()["status"] == "successful"
    assert len(found - {"testing/transport.py"}) <= MOST_FILES, sorted(found)
