"""Records the run that is kept for a format, such as `format-1.jsonl`, anew.

    python -m tests.replay.format_runs

A recording of a released format is never made anew: that it can still be read is what a format promises.
"""

import json
from pathlib import Path

from eth_account import Account
from httpx import Client as Http
from httpx import TransportError

from mockserver.server.assembly import assemble
from mockserver.server.recording.lines import FORMAT
from mockserver.state.world import World
from mockserver.testing.client import MockServer
from mockserver.version import __version__
from tests.replay.runs import AMOY, RULES, play
from tests.transport import InProcessTransport

KEPT = Path(__file__).parent / f"format-{FORMAT}.jsonl"


def record() -> bytes:
    """A run with a sign-up, a transfer, faults, a restore and a reset."""
    transport = InProcessTransport(assemble(World()))
    server = MockServer("http://mock", transport=transport)
    project = server.create_project(name="kept")
    project.load(RULES)
    project.snapshot("s")
    server.start_recording()
    headers = {"authorization": f"Bearer {project.secret_key}", "x-project-key": project.publishable_key}
    with Http(transport=transport, base_url="http://mock", headers=headers) as http:
        _call(http, project.id)
    project.clock.advance(60)
    project.restore("s")
    project.reset()
    lines = server.stop_recording().splitlines(keepends=True)
    # When it was made is the one thing that is not the same each time.
    lines[1] = (
        json.dumps({"meta": {"at": "2026-01-01T00:00:00.000Z", "mockserver": __version__}}).encode() + b"\n"
    )
    return b"".join(lines)


def _call(http: Http, project_id: str) -> None:
    body: dict[str, object] = {"email": "ada@example.com", "password": "long enough", "name": "é\N{SNOWMAN}"}
    http.post("/iam/v2/auth/sign-up/email", json=body)
    user = http.get("/v2/users").json()["data"][0]["id"]
    body = {"user": user, "accountType": "Externally Owned Account", "chainType": "EVM"}
    account = http.post("/v2/accounts", json=body).json()["id"]
    key = http.get(f"/_mock/projects/{project_id}/accounts/{account}/key").json()["private_key"]
    body = {"chainId": AMOY, "accountId": account, "calls": [{"to": "0x" + "11" * 20, "value": "1"}]}
    asked = http.post("/v2/transactions", json=body).json()
    signature = "0x" + Account.from_key(key).unsafe_sign_hash(asked["nextAction"]["hash"]).signature.hex()
    http.post(f"/v2/transactions/{asked['id']}/signature", json={"signature": signature})
    for fault in ("reset", "random", "short"):
        try:
            http.get(f"/v1/contracts/{fault}")
        except TransportError:
            continue
    http.post("/v1/contracts", json={"name": "T", "chainId": AMOY, "address": "0x" + "a1" * 20})


if __name__ == "__main__":
    KEPT.write_bytes(record())
    player, found = play(KEPT.read_bytes())
    print(f"{KEPT.name}: {player.number} exchanges, {len(found)} differ")
