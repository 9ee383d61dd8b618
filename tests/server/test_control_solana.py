"""Sponsored Solana transactions, by hand."""

from httpx import Client

from tests.tables import cases

SOLANA = "/_mock/projects/-/solana/transactions"


def test_a_submitted_transaction_is_found_by_the_public_api(api: Client) -> None:
    made = api.post(SOLANA, json={"external_id": "order-1"})
    assert made.status_code == 201
    publishable = {"authorization": "Bearer pk_test_tests"}
    found = api.get("/v1/solana/transactions", params={"externalId": "order-1"}, headers=publishable)
    assert (found.status_code, found.json()["txSignature"]) == (200, made.json()["signature"])


def test_a_bundle_has_an_id_and_a_signature_for_each_child(api: Client) -> None:
    bundle = api.post(SOLANA, json={"transactions": 3}).json()
    assert len(set(bundle["child_signatures"])) == 3
    assert bundle["bundle_id"]


def test_a_signed_transaction_has_no_signature_to_look_up(api: Client) -> None:
    assert api.post(SOLANA, json={"sign_only": True}).json()["signature"] is None


@cases("outcome", "confirmed", "failed", "expired")
def test_a_transaction_ends_as_it_is_told_to_and_only_once(api: Client, outcome: str) -> None:
    row_id = api.post(SOLANA, json={}).json()["id"]
    settled = api.post(f"{SOLANA}/{row_id}/settle", json={"outcome": outcome})
    again = api.post(f"{SOLANA}/{row_id}/settle", json={"outcome": "confirmed"})
    assert settled.json()["status"] == outcome
    assert again.status_code == 409
    assert api.get("/_mock/projects/-/timers").json()["data"] == []
    assert api.post("/_mock/projects/-/clock/advance", json={"seconds": 100}).json()["fired"] == []


def test_a_failure_has_the_message_that_was_given(api: Client) -> None:
    row_id = api.post(SOLANA, json={}).json()["id"]
    body = {"outcome": "failed", "error_message": "insufficient lamports"}
    assert api.post(f"{SOLANA}/{row_id}/settle", json=body).json()["error_message"] == "insufficient lamports"


def test_an_unknown_transaction_is_not_found(api: Client) -> None:
    assert api.post(f"{SOLANA}/sol_none/settle", json={"outcome": "failed"}).status_code == 404


@cases("body", {"transactions": 0}, {"transactions": 6}, {"external_id": ""})
def test_a_submission_that_cannot_be_is_refused(api: Client, body: dict[str, object]) -> None:
    assert api.post(SOLANA, json=body).status_code == 400


@cases("body", {}, {"outcome": "sent"}, {"outcome": "confirmed", "error_message": "x"})
def test_an_end_that_cannot_be_is_refused(api: Client, body: dict[str, object]) -> None:
    row_id = api.post(SOLANA, json={}).json()["id"]
    assert api.post(f"{SOLANA}/{row_id}/settle", json=body).status_code == 400
