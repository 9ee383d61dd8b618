"""Transactions: of every kind of account, with every outcome; session keys; intents; Solana."""

from typing import Any

from eth_account import Account
from eth_account.messages import encode_defunct

from tests.regression.journeys.accounts import built_on, externally_owned
from tests.regression.journeys.money import contract, gas_policy, sponsorship
from tests.regression.journeys.sign_in import sign_up
from tests.regression.journeys.wallets import Signer, backend_wallet
from tests.regression.story import Project, Story

AMOY = 80002
THERE = "0x" + "11" * 20
EXPAND = "?expand=account&expand=feeSponsorship&expand=timeline&expand=userOperation&expand=logs"
OUTCOMES: tuple[dict[str, Any], ...] = (
    {"outcome": "successful"},
    {"outcome": "reverted", "reason": "not today"},
    {"outcome": "reverted", "panic": 17},
    {"outcome": "reverted", "error": "Broke(uint256)", "args": ["5"]},
    {"outcome": "failed"},
    {"outcome": "dropped"},
    {"outcome": "expired"},
    {"outcome": "replaced"},
    {"outcome": "reorged"},
    {"outcome": "reorged", "reincluded": False},
    {"outcome": "never_mined"},
)


def signed(project: Project, account: str, digest: str) -> str:
    """What the owner of an account signs for a hash."""
    return str(
        project.control("POST", f"/accounts/{account}/sign", {"hash": digest}).get("signature", "0x12")
    )


def submit(project: Project, row: dict[str, Any], signer: str, wait: bool = True) -> None:
    """Sign for a transaction that waits for it, and see what becomes of it."""
    action = row.get("nextAction")
    if action is None:
        return
    path = f"/v2/transactions/{row['id']}"
    project.call("POST", f"{path}/signature", {"signature": "0x" + "00" * 65})
    body = {"signature": signed(project, signer, action["hash"]), "waitForReceipt": wait}
    project.call("POST", f"{path}/signature", body)
    project.call("GET", path + EXPAND)
    project.advance(3)
    project.call("GET", path + EXPAND)
    project.call("GET", f"/v1/transaction_intents/{row['id']}?expand=account&expand=policy&expand=player")


def kinds(story: Story) -> None:
    """Every kind of account sends, with and without a sponsor, and estimates."""
    project = story.project("transactions")
    ada = sign_up(project)
    user = ada["user"]["id"]
    owner = externally_owned(project, user)
    token = contract(project)
    free = sponsorship(project)
    mint = {"contractId": token, "functionName": "mint", "functionArgs": [THERE, "5"]}
    accounts = [owner]
    for kind in ("UpgradeableV5", "UpgradeableV6", "Simple", "ManagedV5"):
        accounts.append(built_on(project, {**owner, "user": user}, implementationType=kind))
    for kind in ("Calibur", "CaliburV9"):
        accounts.append(
            built_on(project, {**owner, "user": user}, "Delegated Account", implementationType=kind)
        )
    accounts = [account for account in accounts if "id" in account]
    for account in accounts:
        for calls in (
            [{"to": THERE, "value": "1000"}],
            [mint, {"to": THERE, "value": "7"}],
            [{"to": THERE, "data": "0x1234"}],
        ):
            for more in ({}, {"feeSponsorshipId": free}):
                body = {"chainId": AMOY, "accountId": account["id"], "calls": calls, **more}
                project.call("POST", "/v2/transactions/estimate", body)
                row = project.call("POST", "/v2/transactions", body, {**project.visitor, **ada["headers"]})
                submit(project, row, account["id"])
        project.call(
            "POST", "/v2/transactions", {"chainId": 1, "accountId": account["id"], "calls": [{"to": THERE}]}
        )
        project.call("GET", f"/v2/transactions?accountId={account['id']}&limit=2&expand=logs")
    listings(project, user, free)


def read(project: Project, row: dict[str, Any]) -> None:
    """The transaction, if it was made: what was refused has no id."""
    if "id" in row:
        project.call("GET", f"/v2/transactions/{row['id']}{EXPAND}")


def listings(project: Project, user: str, free: str) -> None:
    """Lists of transactions and intents, with filters."""
    for query in (
        "",
        "?limit=3&skip=2&order=asc",
        "?status=successful",
        "?status=awaiting_signature",
        f"?userId={user}",
        f"?feeSponsorshipId={free}",
        "?chainId=80002&expand=timeline",
        "?status=lost",
        EXPAND,
    ):
        project.call("GET", f"/v2/transactions{query}")
    for query in (
        "",
        "?limit=3&skip=2&order=asc",
        "?status=1",
        f"?policy={free}",
        f"?player={user}",
        "?expand=account&expand=policy",
    ):
        project.call("GET", f"/v1/transaction_intents{query}")
    for path in ("/v2/transactions", "/v1/transaction_intents"):
        project.call("GET", f"{path}/tin_unknown")


def fates(story: Story) -> None:
    """Every outcome, of a plain transaction and of a user operation."""
    project = story.project("fates")
    user = sign_up(project)["user"]["id"]
    owner = externally_owned(project, user)
    smart = built_on(project, {**owner, "user": user})
    free = sponsorship(project)
    for outcome in OUTCOMES:
        for account, more in ((owner, {}), (smart, {"feeSponsorshipId": free})):
            project.fate(**outcome)
            body = {
                "chainId": AMOY,
                "accountId": account["id"],
                "calls": [{"to": THERE, "value": "1"}],
                **more,
            }
            row = project.call("POST", "/v2/transactions", body)
            submit(project, row, account["id"], wait=False)
            project.advance(200)
            read(project, row)
    project.control("POST", f"/chains/{AMOY}/reorganize", {"depth": 1000})
    project.call("GET", f"/v2/transactions{EXPAND}")


def developers(story: Story) -> None:
    """Accounts whose keys the service holds send at once: backend wallets and older accounts."""
    project = story.project("custodial")
    signer = Signer(project)
    wallet = backend_wallet(signer)
    free = gas_policy(project)
    token = contract(project)
    player = project.call("POST", "/v1/players", {"name": "Ada"})["id"]
    for kind in ("UpgradeableV6", "UpgradeableV5", "ManagedV5", "Simple", "CaliburV9"):
        made = project.call("POST", "/v1/accounts", {"chainId": AMOY, "player": player, "accountType": kind})
        account = made.get("id", "acc_unknown")
        for more in ({}, {"policy": free}, {"policy": free, "optimistic": True}, {"policy": "pol_unknown"}):
            mint = {"contract": token, "functionName": "mint", "functionArgs": [THERE, "5"]}
            body = {
                "chainId": AMOY,
                "account": account,
                "interactions": [mint, {"to": THERE, "value": "1"}],
                **more,
            }
            project.call("POST", "/v1/transaction_intents/estimate_gas_cost", body)
            row = project.call("POST", "/v1/transaction_intents", body)
            if "id" in row:
                query = "?expand=account&expand=policy&expand=player"
                project.call("GET", f"/v1/transaction_intents/{row['id']}{query}")
        project.call("POST", "/v1/transaction_intents", {**body, "account": None, "player": player})
    ways: list[dict[str, Any]] = [{}, {"waitForReceipt": False}, {"feeSponsorshipId": free}]
    for way in ways:
        body = {"chainId": AMOY, "accountId": wallet["id"], "calls": [{"to": THERE, "value": "1"}], **way}
        signer.call("POST", "/v2/transactions/estimate", body)
        row = signer.call("POST", "/v2/transactions", body)
        project.advance(3)
        read(project, row)
    outsider(project, free)


def outsider(project: Project, policy: str) -> None:
    """An account that a key outside of the service owns."""
    wallet = Account.from_key("0x" + "8" * 64)
    body = {
        "chainId": AMOY,
        "externalOwnerAddress": wallet.address,
        "interactions": [{"to": THERE, "value": "1"}],
    }
    for more in ({}, {"policy": policy}):
        row = project.call("POST", "/v1/transaction_intents", {**body, **more})
        digest = row.get("nextAction", {}).get("payload", {}).get("signableHash", "0x" + "11" * 32)
        signature = wallet.sign_message(encode_defunct(hexstr=digest)).signature.hex()
        answer = {"signature": "0x" + signature.removeprefix("0x")}
        for _ in range(2):
            project.call("POST", f"/v1/transaction_intents/{row.get('id')}/signature", answer)


def session_keys(story: Story) -> None:
    """Session keys: granted, used until they end, revoked."""
    project = story.project("session-keys")
    policy = gas_policy(project)
    owner, key = Account.from_key(b"\x01" * 32), Account.from_key(b"\x02" * 32)
    now = 1_767_225_600
    asked = {"chainId": AMOY, "address": key.address, "validAfter": now, "validUntil": now + 3600}
    named = {**asked, "externalOwnerAddress": owner.address, "limit": 2, "whitelist": [THERE]}
    session = project.call("POST", "/v1/sessions", named)
    project.call("GET", f"/v1/sessions/{session['id']}")
    grant = {"signature": raw_signature(owner, session)}
    for body in ({"signature": "0x12"}, {"signature": raw_signature(key, session)}, grant, grant):
        project.call("POST", f"/v1/sessions/{session['id']}/signature", body)
    for target in (THERE, "0x" + "22" * 20, THERE, THERE):
        wanted = {
            "chainId": AMOY,
            "account": session["account"]["id"],
            "interactions": [{"to": target}],
            "policy": policy,
        }
        intent = project.call("POST", "/v1/transaction_intents", wanted)
        signature = {"signature": raw_signature(key, intent)}
        project.call("POST", f"/v1/transaction_intents/{intent['id']}/signature", signature)
    custodial_sessions(project, asked, policy)


def custodial_sessions(project: Project, asked: dict[str, Any], policy: str) -> None:
    """Session keys of an account whose key the service holds."""
    account = project.call("POST", "/v1/accounts", {"chainId": AMOY})
    player = account["player"]["id"]
    whose: list[dict[str, Any]] = [{"account": account["id"]}, {"player": player}, {"account": "acc_unknown"}]
    for each in whose:
        for more in ({"policy": policy}, {"limit": 3}, {"validUntil": 5}, {"address": "x"}):
            project.call("POST", "/v1/sessions", {**asked, **each, **more})
    rows = project.call("GET", f"/v1/sessions?player={player}&expand=transactionIntents")["data"]
    for row in rows:
        project.call("GET", f"/v1/sessions/{row['id']}?expand=transactionIntents")
    revoke = {"chainId": AMOY, "address": asked["address"], "account": account["id"], "policy": policy}
    for _ in range(2):
        project.call("POST", "/v1/sessions/revoke", revoke)
    project.advance(7200)
    project.call("GET", f"/v1/sessions?player={player}")


def raw_signature(signer: Any, answer: dict[str, Any]) -> str:
    """What a key signs for an answer that asks for it."""
    digest = answer.get("nextAction", {}).get("payload", {}).get("signableHash", "0x" + "11" * 32)
    return "0x" + bytes(signer.unsafe_sign_hash(digest).signature).hex()


def solana(story: Story) -> None:
    """Solana transactions and bundles, and what became of them."""
    project = story.project("solana")
    asked: tuple[dict[str, Any], ...] = (
        {},
        {"transactions": 2},
        {"external_id": "order-1"},
        {"sign_only": True},
    )
    for outcome in ("confirmed", "failed", "expired"):
        for body in asked:
            project.fate(outcome, kind="solana_transaction")
            answer = project.control("POST", "/solana/transactions", body)
            queries = [
                f"?{name}={answer[member]}"
                for name, member in (
                    ("id", "id"),
                    ("externalId", "external_id"),
                    ("bundleId", "bundle_id"),
                    ("bundleId", "bundleId"),
                )
                if answer.get(member)
            ]
            for seconds in (0, 2, 100):
                project.advance(seconds)
                for query in queries:
                    project.call("GET", f"/v1/solana/transactions{query}", None, project.publishable)
    for query in ("", "?id=unknown", "?id=a&bundleId=b"):
        project.call("GET", f"/v1/solana/transactions{query}", None, project.publishable)


def scenarios(story: Story) -> None:
    """What goes wrong on purpose."""
    project = story.project("scenarios")
    project.control("POST", "/scenarios", SCENARIO)
    for number in range(4):
        body = {"name": "Token", "chainId": AMOY, "address": "0x" + f"{number}f" * 20}
        project.call("POST", "/v1/contracts", body)
        project.call("GET", "/v1/players")
    project.control("DELETE", "/scenarios")
    project.call("GET", "/v1/players")


SCENARIO = """
name: flaky
rules:
  - name: first contract fails
    when: {call: CreateContract, nth: 1}
    then: {answer: {status: 503, body: {message: later}}}
  - name: third list of players fails
    when: {call: GetPlayers, nth: 3}
    then: {answer: {status: 429, body: {message: slower}}}
"""

JOURNEYS = (kinds, fates, developers, session_keys, solana, scenarios)
