"""Which changes make deliveries, and what these say."""

import re
from pathlib import Path
from typing import Any, get_args

from httpx import Client

from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.project import Project
from mockserver.webhooks.topics import TOPICS, TopicName
from tests.accounts import AMOY, account_of
from tests.operations.transactions.helpers import create
from tests.tables import cases
from tests.webhooks.hooks import CONTROL, advance, deliveries, sign_up, subscribe

INTENT = "transaction_intent"


def told(api: Client) -> list[str]:
    """The topics of all deliveries, in order."""
    return [entry["topic"] for entry in deliveries(api)]


def set_fate(api: Client, **fate: Any) -> None:
    assert api.post(f"{CONTROL}/fates", json=fate).status_code == 201


ALL = [
    *(f"{INTENT}.{end}" for end in ("broadcast", "successful", "cancelled", "failed")),
    *(f"transaction.{end}" for end in ("submitted", "succeeded", "failed")),
]


@cases(
    "fate, ends",
    ({"outcome": "successful"}, [f"{INTENT}.successful", "transaction.succeeded"]),
    ({"outcome": "reverted"}, [f"{INTENT}.failed", "transaction.failed"]),
    ({"outcome": "dropped"}, [f"{INTENT}.cancelled", "transaction.failed"]),
    ({"outcome": "reorged"}, [f"{INTENT}.successful", "transaction.succeeded"]),
)
def test_a_transaction_is_told_once_at_each_step(
    api: Client, project: Project, fate: dict[str, Any], ends: list[str]
) -> None:
    account = account_of(project)
    subscribe(api, *ALL)
    set_fate(api, **fate)
    row = create(api, account)
    advance(api, 3600)
    assert told(api) == [f"{INTENT}.broadcast", "transaction.submitted", *ends]
    assert {entry["resource"] for entry in deliveries(api)} == {row["id"]}


def test_the_payload_is_the_resource_as_it_was_then(api: Client, project: Project) -> None:
    account = account_of(project)
    subscribe(api, f"{INTENT}.broadcast", f"{INTENT}.successful", "transaction.succeeded")
    row = create(api, account)
    sent, successful, newer = [entry["payload"] for entry in deliveries(api)]
    assert (sent["type"], sent["date"]) == (f"{INTENT}.broadcast", 1_767_225_600)
    assert "response" not in sent["data"]
    assert successful["data"] == api.get(f"/v1/transaction_intents/{row['id']}").json()
    assert newer["data"] == api.get(f"/v2/transactions/{row['id']}").json()
    assert successful["date"] == 1_767_225_602


def test_a_transaction_that_cannot_be_built_only_fails(api: Client, project: Project) -> None:
    account = account_of(project)
    subscribe(api, *ALL)
    create(api, account, calls=[{"to": "0x" + "11" * 20, "value": str(10**30)}])
    assert told(api) == [f"{INTENT}.failed", "transaction.failed"]


def test_users_are_created_updated_and_deleted(api: Client, project: Project) -> None:
    subscribe(api, "user.created", "user.updated", "user.deleted")
    user = sign_up(api, project)
    api.post(f"/v1/iam/players/{user}")
    assert told(api) == ["user.created"]
    shown = deliveries(api)[0]["payload"]["data"]
    assert (shown["id"], shown["email"]) == (user, "ada@example.com")
    assert api.delete(f"/v2/users/{user}").status_code == 200
    assert told(api)[-1] == "user.deleted"
    assert deliveries(api)[-1]["payload"]["data"]["id"] == user


def test_an_account_is_created(api: Client, project: Project) -> None:
    subscribe(api, "account.created")
    account = create_eoa(project, create_wallet(project), "EVM", held_by="Developer")
    project.commit()
    assert told(api) == ["account.created"]
    assert deliveries(api)[0]["payload"]["data"]["address"] == account.address


@cases("outcome, topic", ("confirmed", "successful"), ("failed", "failed"), ("expired", "failed"))
def test_a_solana_transaction_is_sent_and_ends(api: Client, outcome: str, topic: str) -> None:
    names = [f"solana_transaction.{end}" for end in ("broadcast", "successful", "failed")]
    subscribe(api, *names)
    row_id = api.post(f"{CONTROL}/solana/transactions", json={}).json()["id"]
    api.post(f"{CONTROL}/solana/transactions/{row_id}/settle", json={"outcome": outcome})
    assert told(api) == [names[0], f"solana_transaction.{topic}"]
    assert deliveries(api)[1]["payload"]["data"]["status"] == outcome


def test_a_call_that_is_refused_tells_nothing(api: Client, project: Project) -> None:
    subscribe(api, "user.created")
    sign_up(api, project)
    body = {"email": "ada@example.com", "password": "correct horse", "name": "again"}
    refused = api.post(
        "/iam/v2/auth/sign-up/email", json=body, headers={"x-project-key": project.publishable_key}
    )
    assert refused.status_code >= 400
    assert told(api) == ["user.created"]


def test_what_comes_and_goes_within_a_call_is_told_to_none() -> None:
    assert [topic.name for topic in TOPICS if topic.covers(None, None)] == []


def test_other_projects_are_told_nothing(api: Client) -> None:
    subscribe(api, "user.created")
    other = {"authorization": "Bearer sk_test_other"}
    body = {"email": "ada@example.com", "password": "correct horse", "name": "Ada"}
    api.post("/iam/v2/auth/sign-up/email", json=body, headers=other)
    assert told(api) == []
    assert api.get(f"{CONTROL}/webhooks/deliveries", headers=other).json()["total"] == 0


def test_an_account_on_a_chain_is_told_with_it(api: Client, project: Project) -> None:
    subscribe(api, "account.created")
    account_of(project, chain=AMOY)
    project.commit()
    project.wallets.accounts.replace(next(iter(project.wallets.accounts)))
    project.commit()
    assert told(api) == []


def test_the_guide_lists_every_topic() -> None:
    guide = (Path(__file__).parents[2] / "docs/guides/webhooks.md").read_text()
    table = guide.partition("## Topics")[2].partition("\n\nA delivery")[0]
    listed: list[str] = []
    for row in table.splitlines():
        for topic in re.findall("`([^`]+)`", row.split("|")[1] if "|" in row else ""):
            start = listed[-1].rpartition(".")[0] if topic.startswith(".") else ""
            listed.append(start + topic)
    assert sorted(listed) == sorted(get_args(TopicName))
