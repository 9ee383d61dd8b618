"""Forwarder contracts, and the fee sponsorships that name them."""

from typing import Any

from httpx import Client

from mockserver.state.project import Project
from tests.operations.responses import error_of
from tests.operations.sponsoring import post_sponsorship
from tests.tables import cases

AMOY, BASE_SEPOLIA, POLYGON = 80002, 84532, 137
ADDRESS = "0x742D35CC6634C0532925A3B844bC9E7595f0Ab12"
NOWHERE = "cfo_00000000-0000-0000-0000-000000000000"


def create(api: Client, **members: Any) -> Any:
    response = api.post("/v1/forwarder_contracts", json={"address": ADDRESS, "chainId": AMOY, **members})
    assert response.status_code == 201, response.text
    return response.json()


def test_a_forwarder_contract_is_made_known_and_retrieved(api: Client, project: Project) -> None:
    made = create(api, address=ADDRESS.lower(), name="Forwarder")
    assert made["id"].startswith("cfo_")
    assert {**made, "id": ""} == {
        "id": "",
        "object": "forwarderContract",
        "createdAt": project.clock.now_s,
        "address": ADDRESS,
        "chainId": AMOY,
        "name": "Forwarder",
    }
    assert api.get(f"/v1/forwarder_contracts/{made['id']}").json() == made
    assert "name" not in create(api)


def test_the_list_is_a_bare_array_newest_first(api: Client) -> None:
    made = [create(api)["id"] for _ in range(11)]
    assert [row["id"] for row in api.get("/v1/forwarder_contracts").json()] == made[:0:-1]
    page = api.get("/v1/forwarder_contracts", params={"order": "asc", "skip": 1, "limit": 2}).json()
    assert [row["id"] for row in page] == made[1:3]


def test_an_update_keeps_the_name_that_is_left_out(api: Client) -> None:
    made = create(api, name="Forwarder")
    path = f"/v1/forwarder_contracts/{made['id']}"
    response = api.post(path, json={"address": ADDRESS, "chainId": BASE_SEPOLIA})
    assert (response.status_code, response.json()) == (201, {**made, "chainId": BASE_SEPOLIA})
    response = api.post(path, json={"address": ADDRESS, "chainId": BASE_SEPOLIA, "name": "New"})
    assert response.json()["name"] == "New"
    assert api.get(path).json() == response.json()


@cases(
    "wrong, code, param",
    ({"address": "0x1", "chainId": AMOY}, "invalid_parameters", "address"),
    ({"address": ADDRESS, "chainId": POLYGON}, "chain_of_other_mode", "chainId"),
)
def test_a_wrong_forwarder_leaves_no_trace(api: Client, wrong: dict[str, Any], code: str, param: str) -> None:
    made = create(api)
    for path in ("/v1/forwarder_contracts", f"/v1/forwarder_contracts/{made['id']}"):
        assert error_of(api.post(path, json=wrong)) == (400, code, param)
    assert api.get("/v1/forwarder_contracts").json() == [made]


def test_a_deleted_forwarder_contract_is_gone(api: Client) -> None:
    made = create(api)
    response = api.delete(f"/v1/forwarder_contracts/{made['id']}")
    assert (response.status_code, response.content) == (204, b"")
    assert api.get("/v1/forwarder_contracts").json() == []


def test_an_unknown_forwarder_contract_is_not_found(api: Client) -> None:
    path = f"/v1/forwarder_contracts/{NOWHERE}"
    body = {"address": ADDRESS, "chainId": AMOY}
    for response in (api.get(path), api.post(path, json=body), api.delete(path)):
        assert error_of(response) == (404, "forwarder_contract_not_found", None)


# --- fee sponsorships ----------------------------------------------------------------------------------


def test_a_sponsorship_names_a_forwarder_contract_on_its_chain(api: Client, project: Project) -> None:
    made = create(api)
    for members in ({"chainId": AMOY}, {}):
        response = post_sponsorship(api, forwarderContractId=made["id"], **members)
        assert (response.status_code, response.json()["forwarderContractId"]) == (201, made["id"])
    refused = post_sponsorship(api, forwarderContractId=made["id"], chainId=BASE_SEPOLIA)
    assert error_of(refused) == (400, "invalid_parameters", "forwarderContractId")
    refused = post_sponsorship(api, forwarderContractId=NOWHERE)
    assert error_of(refused) == (404, "forwarder_contract_not_found", "forwarderContractId")
    assert len(project.guardrails.fee_sponsorships) == 2


def test_a_changed_sponsorship_keeps_its_forwarders_chain(api: Client) -> None:
    there, elsewhere = create(api)["id"], create(api, chainId=BASE_SEPOLIA)["id"]
    made = post_sponsorship(api, forwarderContractId=there, chainId=AMOY).json()
    path = f"/v2/fee-sponsorship/{made['id']}"
    for body, status, code, param in (
        ({"forwarderContractId": elsewhere}, 400, "invalid_parameters", "forwarderContractId"),
        ({"forwarderContractId": NOWHERE}, 404, "forwarder_contract_not_found", "forwarderContractId"),
        ({"chainId": BASE_SEPOLIA}, 400, "invalid_parameters", "chainId"),
    ):
        assert error_of(api.put(path, json=body)) == (status, code, param)
    assert api.get(path).json() == made
    both = {"chainId": BASE_SEPOLIA, "forwarderContractId": elsewhere}
    assert api.put(path, json=both).json()["forwarderContractId"] == elsewhere


def test_a_sponsorship_outlives_its_forwarder_contract(api: Client) -> None:
    forwarder = create(api)["id"]
    made = post_sponsorship(api, forwarderContractId=forwarder, chainId=AMOY).json()
    api.delete(f"/v1/forwarder_contracts/{forwarder}")
    path = f"/v2/fee-sponsorship/{made['id']}"
    assert api.put(path, json={"name": "x"}).json() == {**made, "name": "x"}
