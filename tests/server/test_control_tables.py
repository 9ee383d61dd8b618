"""The rows of a project, and the search through them."""

from typing import Any

from httpx import Client

ADDRESS = f"0x{0xAB:040x}"


def create_contract(api: Client, name: str = "Coupon", address: str = ADDRESS) -> str:
    body = {"name": name, "chainId": 80002, "address": address}
    return str(api.post("/v1/contracts", json=body).json()["id"])


def found(api: Client, text: str) -> list[tuple[str, str, list[str]]]:
    answer = api.get("/_mock/projects/-/search", params={"text": text}).json()
    return [(each["table"], each["id"], each["members"]) for each in answer["data"]]


def test_tables_say_how_many_rows_they_have(api: Client) -> None:
    create_contract(api)
    tables = api.get("/_mock/projects/-/tables").json()["data"]
    assert {"name": "onchain.contracts", "rows": 1} in tables
    assert {"name": "identity.users", "rows": 0} in tables


def test_rows_are_shown_as_they_are_stored_and_paged(api: Client) -> None:
    ids = [create_contract(api, f"C{number}", f"0x{number:040x}") for number in range(1, 4)]
    path = "/_mock/projects/-/tables/onchain.contracts"
    page = api.get(path, params={"limit": 2, "order": "desc"}).json()
    assert page["total"] == 3
    assert [row["id"] for row in page["data"]] == [ids[2], ids[1]]
    assert page["data"][0]["row"]["created_ms"] == 1_767_225_600_000
    assert api.get(f"{path}/{ids[0]}").json()["row"]["name"] == "C1"
    assert [row["id"] for row in api.get(path, params={"text": "c2"}).json()["data"]] == [ids[1]]


def test_secrets_of_rows_are_masked_unless_asked(api: Client, project: Any) -> None:
    body = {"email": "ada@example.com", "type": "sign-in"}
    api.post("/iam/v2/auth/email-otp/send-verification-otp", json=body)
    (message,) = project.outbox
    path = "/_mock/projects/-/tables/identity.verifications"
    assert message.code not in api.get(path).text
    assert message.code in api.get(path, params={"unmasked": "true"}).text


def test_a_misspelt_table_and_an_unknown_row_are_explained(api: Client) -> None:
    answer = api.get("/_mock/projects/-/tables/onchain.contract")
    assert answer.status_code == 404
    assert "did you mean onchain.contracts" in answer.json()["detail"]
    assert api.get("/_mock/projects/-/tables/outbox/msg_1").json()["type"] == "urn:mockserver:unknown-id"


def test_an_id_or_an_address_is_found_wherever_it_is(api: Client) -> None:
    contract = create_contract(api)
    assert found(api, contract) == [("onchain.contracts", contract, ["id"])]
    assert found(api, ADDRESS.upper().replace("X", "x")) == [("onchain.contracts", contract, ["address"])]
    body = {"email": "ada@example.com", "type": "sign-in"}
    api.post("/iam/v2/auth/email-otp/send-verification-otp", json=body)
    assert {table for table, _, _ in found(api, "ADA@example")} == {"identity.verifications", "outbox"}
    assert found(api, "nothing like it") == []
    assert api.get("/_mock/projects/-/search", params={"text": "a"}).status_code == 400


def test_numbers_and_bytes_are_found_as_they_are_shown(api: Client) -> None:
    contract, chain = create_contract(api), "/_mock/projects/-/chains/80002"
    assert found(api, "80002") == [("onchain.contracts", contract, ["chain_id"])]
    api.put(f"{chain}/addresses/{ADDRESS}", json={"code": "0x60016002"})
    assert "chains.codes" in {table for table, _, _ in found(api, "0x60016002")}
    assert found(api, "0x60016003") == found(api, "true") == []


def test_the_row_whose_id_it_is_comes_first(api: Client, backend: Client) -> None:
    wallet = backend.post("/v2/accounts/backend", json={"chainType": "EVM"}).json()
    first, *others = found(api, wallet["walletId"])
    assert first[1] == wallet["walletId"]
    assert others


def test_timers_are_listed_soonest_first(api: Client) -> None:
    sent = api.post("/_mock/projects/-/solana/transactions", json={}).json()
    timers = api.get("/_mock/projects/-/timers").json()["data"]
    assert [timer["id"] for timer in timers] == [sent.get("id", timers[0]["id"])]
    assert timers[0]["due"] > "2026-01-01T00:00:00.000Z"
