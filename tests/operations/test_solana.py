"""The status of Solana transactions, as the API answers it."""

from typing import Any

import pytest
from httpx import Client

from mockserver.domain.transactions.solana import transactions as solana_transactions
from mockserver.state.onchain import SolanaTransaction
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.fates import add_fate
from tests.tables import cases

PATH = "/v1/solana/transactions"


@pytest.fixture
def public(browser: Client, project: Project) -> Client:
    """A client with the project's publishable key."""
    browser.headers["authorization"] = f"Bearer {project.publishable_key}"
    return browser


def submit(project: Project, **how: Any) -> SolanaTransaction:
    row = solana_transactions.submit(project, **how)
    project.undo.mark()
    return row


def test_a_transaction_is_looked_up_by_its_id(public: Client, project: Project) -> None:
    row = submit(project)
    assert public.get(PATH, params={"id": row.id}).json() == {
        "id": row.id,
        "externalId": None,
        "txSignature": row.signature,
        "status": "sent",
        "errorMessage": None,
        "bundleId": None,
        "txSignatures": [],
    }
    public.post("/_mock/projects/-/clock/advance", json={"seconds": 1})
    assert public.get(PATH, params={"id": row.id}).json()["status"] == "confirmed"


def test_the_newest_of_an_external_id_is_meant(public: Client, project: Project) -> None:
    rows = [submit(project, external_id="order") for _ in range(2)]
    assert public.get(PATH, params={"externalId": "order"}).json()["id"] == rows[1].id


def test_a_bundle_is_found_by_id_external_id_or_first_child(public: Client, project: Project) -> None:
    row = submit(project, bundle_size=3, external_id="pack")
    children = list(row.child_signatures)
    for query in ({"bundleId": row.bundle_id}, {"externalId": "pack"}, {"id": children[0]}):
        found = public.get(PATH, params=query).json()
        assert (found["id"], found["bundleId"]) == (row.id, row.bundle_id)
        assert (found["txSignatures"], found["txSignature"]) == (children, children[0])
    for unknown in (children[1], children[2], row.id):
        assert public.get(PATH, params={"id": unknown}).status_code == 404


def test_a_signed_bundle_is_found_by_its_first_child(public: Client, project: Project) -> None:
    row = submit(project, bundle_size=2, sign_only=True)
    found = public.get(PATH, params={"id": row.child_signatures[0]}).json()
    assert (found["id"], found["txSignature"]) == (row.id, None)
    assert public.get(PATH, params={"id": row.child_signatures[1]}).status_code == 404


def test_the_signature_of_a_single_transaction_is_no_id(public: Client, project: Project) -> None:
    row = submit(project)
    response = public.get(PATH, params={"id": row.signature or ""})
    assert response.status_code == 404
    assert response.json()["error"]["code"] == "solana_transaction_not_found"
    assert response.json()["error"]["param"] == "id"


@cases(
    "query",
    {},
    {"id": "a", "externalId": "b"},
    {"id": "a", "bundleId": "b"},
    {"id": "a", "externalId": "b", "bundleId": "c"},
    {"other": "a"},
)
def test_exactly_one_key_is_sent(public: Client, query: dict[str, str]) -> None:
    response = public.get(PATH, params=query)
    assert (response.status_code, response.json()["error"]["type"]) == (400, "invalid_request_error")


def test_another_projects_transaction_is_not_there(public: Client, world: World) -> None:
    assert public.get(PATH, params={"id": submit(world.create(name="other")).id}).status_code == 404


def test_a_failure_says_why(public: Client, project: Project) -> None:
    add_fate(project, "failed", kind="solana_transaction", options={"error_message": "custom error 0x1771"})
    row = submit(project)
    public.post("/_mock/projects/-/clock/advance", json={"seconds": 1})
    found = public.get(PATH, params={"id": row.id}).json()
    assert (found["status"], found["errorMessage"]) == ("failed", "custom error 0x1771")


def test_only_what_was_never_broadcast_has_no_signature(public: Client, project: Project) -> None:
    rows = [submit(project, sign_only=True) for _ in range(2)]
    assert public.get(PATH, params={"id": rows[0].id}).json()["txSignature"] is None
    settle = f"/_mock/projects/-/solana/transactions/{rows[1].id}/settle"
    assert public.post(settle, json={"outcome": "confirmed"}).status_code == 200
    public.post("/_mock/projects/-/clock/advance", json={"seconds": 90})
    found = [public.get(PATH, params={"id": row.id}).json() for row in rows]
    assert [each["status"] for each in found] == ["expired", "confirmed"]
    assert [each["txSignature"] is None for each in found] == [True, False]
