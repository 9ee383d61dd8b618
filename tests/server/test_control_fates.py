"""Fates: set, listed and forgotten."""

from httpx import Client

from mockserver.state.project import Project
from tests.tables import cases

FATES = "/_mock/projects/-/fates"


def test_a_fate_is_shown_as_it_was_set(api: Client, project: Project) -> None:
    made = api.post(FATES, json={"outcome": "reverted", "reason": "Paused", "chain_id": 80002, "count": 3})
    assert made.status_code == 201
    fate = made.json()
    assert fate.pop("id").startswith("fat_")
    assert fate == {
        "created_at": "2026-01-01T00:00:00.000Z",
        "outcome": "reverted",
        "kind": "transaction",
        "count": 3,
        "transaction_id": None,
        "chain_id": 80002,
        "account_id": None,
        "reason": "Paused",
    }
    (row,) = project.onchain.fates
    assert (row.outcome, row.remaining, row.options) == ("reverted", 3, {"reason": "Paused"})


def test_a_fate_takes_one_transaction_unless_told_otherwise(api: Client) -> None:
    one = api.post(FATES, json={"outcome": "dropped"}).json()
    every = api.post(FATES, json={"outcome": "dropped", "count": None}).json()
    assert (one["count"], every["count"]) == (1, None)


def test_a_fate_comes_to_pass_once(api: Client) -> None:
    api.post(FATES, json={"kind": "solana_transaction", "outcome": "failed", "error_message": "no funds"})
    for _ in range(2):
        api.post("/_mock/projects/-/solana/transactions", json={})
    fired = api.post("/_mock/projects/-/clock/advance", json={"seconds": 5}).json()["fired"]
    assert [entry["to"] for entry in fired] == ["failed", "confirmed"]
    assert api.get(FATES).json() == {"data": [], "total": 0}


@cases(
    "body, named",
    ({}, "outcome"),
    ({"outcome": "revertd"}, "did you mean reverted"),
    ({"outcome": "reverted", "resaon": "x"}, "did you mean reason"),
    ({"outcome": "reverted", "count": 0}, "count"),
    ({"outcome": "reverted", "kind": "intent"}, "kind"),
)
def test_an_impossible_fate_is_refused(api: Client, body: dict[str, object], named: str) -> None:
    response = api.post(FATES, json=body)
    assert response.status_code == 400
    assert named in response.json()["detail"]
    assert api.get(FATES).json()["total"] == 0


@cases("member", "transaction_id", "account_id")
def test_a_fate_of_something_unknown_is_not_found(api: Client, member: str) -> None:
    response = api.post(FATES, json={"outcome": "reverted", member: "tin_none"})
    assert (response.status_code, response.json()["param"]) == (404, member)


def sent(api: Client) -> str:
    """A transaction that is on its way, by its id."""
    user = api.post("/v1/players", json={"name": "Ada"}).json()["id"]
    account = api.post("/v1/accounts", json={"chainId": 80002, "player": user}).json()["id"]
    body = {"chainId": 80002, "accountId": account, "calls": [{"to": "0x" + "11" * 20}]}
    made = api.post("/v2/transactions", json={**body, "waitForReceipt": False})
    assert made.json()["status"] == "sent", made.text
    return str(made.json()["id"])


def test_a_fate_of_a_transaction_that_has_ended_is_refused(api: Client) -> None:
    transaction = sent(api)
    fate = {"outcome": "successful", "transaction_id": transaction}
    assert api.post(FATES, json=fate).status_code == 201
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 5})
    assert api.get(FATES).json()["total"] == 0
    refused = api.post(FATES, json=fate)
    assert (refused.status_code, refused.json()["param"]) == (409, "transaction_id")
    assert "is successful already" in refused.json()["detail"]


@cases("one", True, False)
def test_a_transaction_whose_fate_is_forgotten_goes_on(api: Client, one: bool) -> None:
    transaction = sent(api)
    fate = api.post(FATES, json={"outcome": "never_mined", "transaction_id": transaction}).json()["id"]
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 60})
    assert api.get(f"/v2/transactions/{transaction}").json()["status"] == "sent"
    assert api.delete(f"{FATES}/{fate}" if one else FATES).status_code == 200
    api.post("/_mock/projects/-/clock/advance", json={"seconds": 2})
    assert api.get(f"/v2/transactions/{transaction}").json()["status"] == "successful"


def test_one_fate_or_all_of_them_may_be_forgotten(api: Client) -> None:
    ids = [api.post(FATES, json={"outcome": "dropped"}).json()["id"] for _ in range(3)]
    assert api.delete(f"{FATES}/{ids[1]}").json() == {"deleted": 1}
    assert [fate["id"] for fate in api.get(FATES).json()["data"]] == [ids[0], ids[2]]
    assert api.delete(f"{FATES}/{ids[1]}").status_code == 404
    assert api.delete(FATES).json() == {"deleted": 2}


def test_a_fate_outlives_a_call_that_is_refused_later(api: Client) -> None:
    api.post(FATES, json={"outcome": "dropped"})
    assert api.get("/v1/contracts/con_none").status_code == 404
    assert api.get(FATES).json()["total"] == 1
