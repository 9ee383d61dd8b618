"""Paymasters of the developer's own, and the fee sponsorships that name them."""

from typing import Any

from httpx import Client

from mockserver.state.project import Project
from tests.operations.responses import error_of
from tests.operations.sponsoring import post_sponsorship

AMOY = 80002
ADDRESS = "0x742D35CC6634C0532925A3B844bC9E7595f0Ab12"
OTHER = "0x00000000000000000000000000000000000000b0"
NOWHERE = "pay_00000000-0000-0000-0000-000000000000"
FREE = {"sponsorSchema": "pay_for_user"}
PAID = {"sponsorSchema": "charge_custom_tokens", "tokenContracts": [{"contract": OTHER}]}


def create(api: Client, **members: Any) -> Any:
    response = api.post("/v1/paymasters", json={"address": ADDRESS, **members})
    assert response.status_code == 201, response.text
    return response.json()


def test_a_paymaster_is_made_known_and_retrieved(api: Client, project: Project) -> None:
    made = create(
        api, address=ADDRESS.lower(), url="https://pay.test", context={"key": {"deep": [1]}}, name="Mine"
    )
    assert made["id"].startswith("pay_")
    assert {**made, "id": ""} == {
        "id": "",
        "object": "paymaster",
        "createdAt": project.clock.now_s,
        "address": ADDRESS,
        "url": "https://pay.test",
        "context": {"key": {"deep": [1]}},
    }
    assert api.get(f"/v1/paymasters/{made['id']}").json() == made
    assert set(create(api)) == {"id", "object", "createdAt", "address"}


def test_the_list_is_a_bare_array_newest_first(api: Client) -> None:
    made = [create(api, url=f"https://{at}.test")["id"] for at in range(12)]
    shown = [row["id"] for row in api.get("/v1/paymasters").json()]
    assert shown == made[:1:-1]
    page = api.get("/v1/paymasters", params={"order": "asc", "skip": 1, "limit": 2}).json()
    assert [row["id"] for row in page] == made[1:3]


def test_an_update_changes_what_it_names(api: Client) -> None:
    made = create(api, url="https://pay.test", context={"key": "value"})
    response = api.post(f"/v1/paymasters/{made['id']}", json={"address": OTHER, "context": {}})
    assert response.status_code == 201
    changed = response.json()
    assert (changed["address"].lower(), changed["url"], changed["context"]) == (OTHER, made["url"], {})
    assert api.get(f"/v1/paymasters/{made['id']}").json() == changed


def test_a_malformed_paymaster_is_refused_and_leaves_no_trace(api: Client) -> None:
    made = create(api)
    for path in ("/v1/paymasters", f"/v1/paymasters/{made['id']}"):
        refused = api.post(path, json={"address": "0x1"})
        assert error_of(refused) == (400, "invalid_parameters", "address")
    assert api.get("/v1/paymasters").json() == [made]


def test_a_deleted_paymaster_is_gone(api: Client) -> None:
    made = create(api)
    response = api.delete(f"/v1/paymasters/{made['id']}")
    assert (response.status_code, response.content) == (204, b"")
    assert api.get("/v1/paymasters").json() == []
    assert api.delete(f"/v1/paymasters/{made['id']}").status_code == 404


def test_an_unknown_paymaster_is_not_found(api: Client) -> None:
    path = f"/v1/paymasters/{NOWHERE}"
    for response in (api.get(path), api.post(path, json={"address": ADDRESS}), api.delete(path)):
        assert error_of(response) == (404, "paymaster_not_found", None)


def test_what_a_paymaster_has_is_its_deposit(api: Client, project: Project) -> None:
    def balance(address: str, chain_id: int = AMOY) -> int:
        path = f"/_mock/projects/-/chains/{chain_id}/addresses/{address}"
        return int(api.get(path).json()["balance_wei"])

    deposit = project.settings.sponsor_deposit_wei
    assert balance(ADDRESS) == balance(OTHER) == 0 < deposit
    create(api)
    assert balance(ADDRESS) == balance(ADDRESS, chain_id=84532) == deposit
    api.post("/v1/forwarder_contracts", json={"address": OTHER, "chainId": AMOY})
    assert (balance(OTHER), balance(OTHER, chain_id=84532)) == (deposit, 0)


# --- fee sponsorships ----------------------------------------------------------------------------------


def test_a_sponsorship_names_a_known_paymaster(api: Client) -> None:
    made = create(api)
    response = post_sponsorship(api, paymaster=made["id"])
    assert (response.status_code, response.json()["paymasterId"]) == (201, made["id"])


def test_a_sponsorship_of_an_unknown_paymaster_is_refused(api: Client, project: Project) -> None:
    assert error_of(post_sponsorship(api, paymaster=NOWHERE)) == (404, "paymaster_not_found", "paymaster")
    assert len(project.guardrails.fee_sponsorships) == 0


def test_who_charges_tokens_names_no_paymaster(api: Client, project: Project) -> None:
    response = post_sponsorship(api, paymaster=create(api)["id"], strategy=PAID)
    assert error_of(response) == (400, "invalid_parameters", "paymaster")
    assert len(project.guardrails.fee_sponsorships) == 0


def test_a_sponsorship_with_a_paymaster_keeps_its_schema(api: Client) -> None:
    made = post_sponsorship(api, paymaster=create(api)["id"]).json()
    path = f"/v2/fee-sponsorship/{made['id']}"
    refused = api.put(path, json={"strategy": PAID, "name": "x"})
    assert error_of(refused) == (400, "invalid_parameters", "strategy.sponsorSchema")
    assert api.get(path).json() == made
    assert api.put(path, json={"strategy": FREE, "name": "x"}).status_code == 200
