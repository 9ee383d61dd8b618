"""Recordings of a few calls, for the tests of exports and of shrinking."""

import json
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

from eth_account import Account
from httpx import Client, Response

from mockserver.replay.export.history import History, read_history
from mockserver.replay.shrinking.run import read_run
from mockserver.server.edge.app import App
from mockserver.server.recording.lines import to_line
from mockserver.state.project import Project

AMOY = 80002
Record = Callable[[], Path]


class Collected(list[dict[str, Any]]):
    """Takes the lines of a recording, as they are read."""

    def write(self, *lines: dict[str, Any]) -> None:
        """See `Sink`."""
        self += [json.loads(to_line(line)) for line in lines]


def history_of(app: App) -> History:
    """The history of what is recorded, which ends here."""
    app.recordings.stop()
    return read_history(read_run(BytesIO(app.recordings.read())))


def contract(api: Client, byte: str, headers: dict[str, str] | None = None) -> Response:
    """Register a contract."""
    body = {"name": byte, "chainId": AMOY, "address": "0x" + byte * 20}
    return api.post("/v1/contracts", json=body, headers=headers)


def sign_up(api: Client, project: Project, name: str) -> Response:
    """Sign a user up."""
    given = {"email": f"{name}@example.com", "password": "long enough", "name": name}
    headers = {"x-project-key": project.publishable_key}
    return api.post("/iam/v2/auth/sign-up/email", json=given, headers=headers)


def account_of(api: Client, user: str) -> str:
    """Create an account; its id."""
    body = {"user": user, "accountType": "Externally Owned Account", "chainType": "EVM"}
    account: str = api.post("/v2/accounts", json=body).json()["id"]
    return account


def transfer(api: Client, project: Project, account: str) -> Response:
    """Send a coin from an account, signed by its owner as a client of theirs does it."""
    calls = [{"to": "0x" + "11" * 20, "value": "1"}]
    asked = api.post("/v2/transactions", json={"chainId": AMOY, "accountId": account, "calls": calls}).json()
    key = api.get(f"/_mock/projects/{project.id}/accounts/{account}/key").json()["private_key"]
    signature = Account.from_key(key).unsafe_sign_hash(asked["nextAction"]["hash"]).signature
    return api.post(f"/v2/transactions/{asked['id']}/signature", json={"signature": "0x" + signature.hex()})
