"""The control API: what a test sees of a project and changes in it."""

import json
from itertools import takewhile
from pathlib import Path
from typing import Any

from tests.regression.journeys.accounts import ADDRESS, AMOY, built_on, externally_owned
from tests.regression.journeys.money import contract, sponsorship
from tests.regression.journeys.sign_in import sign_up
from tests.regression.story import JSON, YAML, Project, Story

RECORDING = Path(__file__).parents[2] / "replay" / "format-1.jsonl"
JSON_LINES = {"content-type": "application/jsonl"}
TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "resources/templates/list"}
SCENARIO = """\
name: slow mails
rules:
  - name: slow codes
    when: {call: sendVerificationOTP}
    then: {delay: 2s}
  - name: lost contract
    when: {call: GetContract, nth: 2}
    then: {error: contract_not_found}
"""


def server(story: Story) -> None:
    """The server and its projects."""
    story.raw("POST", "/_mock/scenarios/check", "rules: [{when: GetContracts, then: {delay: 2s}}]", YAML)
    shown = {"n": 1, "request": {"method": "GET", "path": "/v1/contracts", "headers": []}}
    story.raw("POST", "/_mock/recording/exchanges", json.dumps({"exchanges": [shown], "brief": True}), JSON)
    story.raw(
        "POST", "/_mock/mcp", json.dumps(TOOLS), {**JSON, "accept": "application/json, text/event-stream"}
    )
    for path in (
        "health",
        "networks",
        "ready",
        "import-key",
        "projects?limit=1",
        "projects/nowhere",
        "projects/nowhere?x=1",
    ):
        story.raw("GET", f"/_mock/{path}")
    for method, path in (
        ("POST", "recording"),
        ("GET", "recording/status"),
        ("GET", "recording/digests"),
        ("POST", "recording"),
        ("POST", "recording/stop"),
    ):
        story.raw(method, f"/_mock/{path}")
    project = story.project("control", seed="fixed")
    story.raw("POST", "/_mock/projects", '{"name": "control"}')
    for method, path, body in (
        ("GET", "", None),
        ("GET", "/settings", None),
        ("PUT", "/settings", {"one_time_code": "123456"}),
        ("PUT", "/settings", {"one_time_cod": "123456"}),
        ("GET", "/clock", None),
        ("PUT", "/clock", {"mode": "frozen", "now": "2026-01-02T00:00:00Z"}),
        ("PUT", "/clock", {"now": "2025-01-01T00:00:00Z"}),
        ("POST", "/snapshots", {"name": "before"}),
        ("POST", "/snapshots", {"name": "before"}),
        ("GET", "/snapshots", None),
        ("GET", "/snapshots/before/differences", None),
        ("POST", "/snapshots/before/restore", None),
        ("POST", "/snapshots/after/restore", None),
        ("DELETE", "/snapshots/before", None),
        ("GET", "/keys", None),
        ("POST", "/reset", None),
    ):
        project.control(method, path, body)
    moved(story, project)
    project.control("DELETE", "")


def moved(story: Story, project: Project) -> None:
    """The state of a project, put where it is, and what is no state."""
    path = f"/_mock/projects/{project.id}/state"
    state = story.raw("GET", path)
    story.raw("PUT", f"{path}?replace=true", state.body, JSON_LINES)
    story.raw("PUT", path, state.body[:100], JSON_LINES)


def observed(story: Story) -> None:
    """Scenarios, journal and outbox."""
    project = story.project("control-observed")
    scenario = project.control("POST", "/scenarios", SCENARIO)
    project.control("POST", "/scenarios", "rules: 5")
    project.call("GET", "/v1/contracts/con_unknown")
    sign_up(project)
    story.raw("GET", "/v1/contracts", headers={"authorization": "Bearer sk_test_control-observd"})
    counted = {"before": {"sk_test_control": 1}, "keys": ["sk_test_control-observed"]}
    story.raw("POST", "/_mock/undeclared-calls", json.dumps(counted), JSON)
    for path in (
        "/scenarios",
        "/journal?limit=1",
        "/journal/2",
        "/journal/99",
        "/journal/2/near-misses",
        "/report?since=2",
        "/error-coverage",
        "/effects?limit=1",
        "/effects?table=identity.users",
        "/differences?earlier=1",
        "/differences?earlier=99",
        "/timeline?limit=3",
        "/tables?at=1&limit=3",
        "/effects?table=identity.user",
        "/outbox",
        "/tables?limit=3",
        "/tables/identity.users",
        "/tables/identity.user",
        "/search?text=ada",
        "/timers",
    ):
        project.control("GET", path)
    for path, body in (
        ("/forks", {"at": 2, "name": "control-forked"}),
        ("/forks", {"at": 2, "name": "control-forked"}),
        ("/travel", {"to": 3}),
        ("/travel", {"to": 99}),
    ):
        project.control("POST", path, body)
    user = project.control("GET", "/tables/identity.users")["data"][0]["id"]
    project.control("GET", f"/tables/identity.users/{user}")
    project.control("GET", "/tables/identity.users/usr_unknown")
    for call in ("signUpEmail", "CreateContract"):
        project.control("POST", "/verify", {"call": call})
        project.control("POST", "/verify-sequence", {"calls": ["GetContract", call]})
    for path in (f"/scenarios/{scenario['id']}", "/scenarios/unknown", "/journal", "/outbox"):
        project.control("DELETE", path)
    project.control("POST", "/fates", {"outcome": "reverted", "reason": "not today", "count": 2})
    fate = project.control("GET", "/fates")["data"][0]["id"]
    for path in (f"/fates/{fate}", "/fates/unknown", "/fates"):
        project.control("DELETE", path)


def credentials(story: Story) -> None:
    """Keys, recovery, multi-factor authentication."""
    project = story.project("control-credentials")
    ada = sign_up(project)
    owner = externally_owned(project, ada["user"]["id"])
    account = f"/accounts/{owner['id']}"
    session = project.call("GET", "/iam/v2/auth/get-session", None, ada["headers"])["session"]["id"]
    project.control("POST", f"{account}/sign", {"message": "hello"})
    project.control("GET", f"{account}/key")
    passkey: dict[str, Any] = {"id": "pk_1", "name": "Ada's phone", "os": "Android", "os_version": "16"}
    project.control("PUT", f"{account}/recovery", {"method": "passkey", "passkey": passkey})
    elsewhere = externally_owned(project, ada["user"]["id"], address=ADDRESS)
    project.control("GET", f"/accounts/{elsewhere.get('id', 'acc_unknown')}/key")
    project.control("PUT", "/imports", {"private_keys": ["0x" + "11" * 32, "0x12"]})
    project.control("PUT", "/imports", {"private_keys": ["0x" + "11" * 32]})
    project.control("GET", "/imports")
    signed = {"method": "POST", "path": "/v2/accounts/backend", "body": '{"chainType": "EVM"}'}
    project.control("POST", "/wallet-secret/sign", signed)
    project.control("PUT", f"/sessions/{session}/aal2")
    project.control("DELETE", f"/sessions/{session}/aal2")
    project.control("GET", "/keys")


def chains(story: Story) -> None:
    """Chains, sponsorship and the decisions of policies."""
    project = story.project("control-chains")
    owner = externally_owned(project, sign_up(project)["user"]["id"])
    smart = built_on(project, owner)
    token = contract(project)
    free = sponsorship(project)
    place = f"/chains/{AMOY}/addresses/{smart['address']}"
    address = project.call("GET", f"/v1/contracts/{token}")["address"]
    project.control("PUT", place, {"balance_wei": "5", "tokens": [{"contract": address, "balance": "7"}]})
    sent = _sent(project, smart["id"], free)
    for path in (
        place,
        f"/chains/{AMOY}",
        f"/chains/{AMOY}/blocks?filled=true",
        f"/transactions/{sent}/decisions",
    ):
        project.control("GET", path)
    project.control("PUT", f"/fee-sponsorships/{free}/budget", {"budget_wei": "1000000000000000"})
    project.control("GET", f"/fee-sponsorships/{free}/budget")
    payload = {"chainId": AMOY, "to": ADDRESS, "value": "1"}
    project.control("POST", "/policies/evaluate", {"operation": "sponsorEvmTransaction", "payload": payload})
    project.control("POST", "/fates", {"outcome": "dropped", "transaction_id": sent})
    executed(project, smart["id"])
    made = project.control("POST", "/solana/transactions", {})
    project.control("POST", f"/solana/transactions/{made['id']}/settle", {"outcome": "confirmed"})


# Runtime code that reverts with the four bytes 0xbaadf00d, behind creation code that returns it.
REVERTING = "0x600c600a5f39600c5ff363baadf00d5f526004601cfd"


def executed(project: Project, account: str) -> None:
    """Contracts with code."""
    place = f"/chains/{AMOY}"
    abi = [{"type": "error", "name": "Never", "inputs": []}]
    made = project.control("POST", f"{place}/contracts", {"bytecode": REVERTING, "abi": abi, "name": "Never"})
    calls = [{"to": made["address"], "data": "0x12345678"}]
    row = project.call("POST", "/v2/transactions", {"chainId": AMOY, "accountId": account, "calls": calls})
    project.advance(2_000)
    project.control("GET", f"/transactions/{row['id']}/trace")
    state = project.control("GET", f"{place}/state")
    project.control("PUT", f"{place}/state", {"state": {"accounts": state["accounts"]}})
    project.control("POST", f"{place}/contracts", {"artifact": "out/Token.json"})


def _sent(project: Project, account: str, sponsor: str) -> str:
    """A transaction that a sponsor paid for, by its id."""
    body = {"chainId": AMOY, "accountId": account, "feeSponsorshipId": sponsor, "calls": [{"to": ADDRESS}]}
    row = project.call("POST", "/v2/transactions", body)
    action = row.get("nextAction", {})
    signature = project.control("POST", f"/accounts/{account}/sign", {"hash": action["hash"]})["signature"]
    project.call("POST", f"/v2/transactions/{row['id']}/signature", {"signature": signature})
    return str(row["id"])


def replayed(story: Story) -> None:
    """Loads and replays of a recording, which take the place of all projects."""
    lines = RECORDING.read_text(encoding="utf-8").splitlines(keepends=True)
    opening = "".join(takewhile(lambda line: not line.startswith('{"n":'), lines))
    story.raw("POST", "/_mock/recording/load?replace=true", opening, JSON_LINES)
    story.raw("POST", "/_mock/recording/load?replace=true", opening[:-20], JSON_LINES)
    story.raw("GET", "/_mock/recording/replay/row?project=pro_1&row=identity.users/usr_1")
    story.raw("POST", "/_mock/recording/replay?replace=true", opening, JSON_LINES)
    story.raw("POST", "/_mock/recording/replay/steps", "{}", JSON)
    story.raw("GET", "/_mock/recording/replay/row?project=pro_1&row=identity.users/usr_1")
    story.raw("POST", "/_mock/recording/replay/stop")


JOURNEYS = (server, observed, credentials, chains)
