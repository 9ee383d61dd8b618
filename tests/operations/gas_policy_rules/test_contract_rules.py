"""Rules about what is called: contracts, functions, wildcards, the account itself."""

from typing import Any

from httpx import Client

from tests.operations.gas_policy_rules.helpers import ELSEWHERE, ITEMS, Add, Send, new_contract, sponsored


def mint(items: str, *args: Any) -> dict[str, Any]:
    name = "mint(address)" if len(args) == 1 else "mint(address,uint256)"
    return {"contract": items, "functionName": name, "functionArgs": list(args)}


def test_only_what_a_rule_names_is_paid_for(add: Add, send: Send, items: str) -> None:
    add(type="contract_functions", contract=items, functionName="mint")
    pause = {"contract": items, "functionName": "pause"}
    assert sponsored(send(mint(items, ELSEWHERE)))
    assert sponsored(send(mint(items, ELSEWHERE, "1"), mint(items, ELSEWHERE)))
    for others in ([pause], [mint(items, ELSEWHERE), pause], [{"to": ELSEWHERE, "data": "0x6a627842"}]):
        alone = send(*others)
        assert (sponsored(alone), alone["response"]["status"]) == (False, 1)
    assert not sponsored(send({"to": ELSEWHERE, "value": "1"}))


def test_raw_data_is_told_by_its_selector(add: Add, send: Send, items: str) -> None:
    add(type="contract_functions", contract=items, functionName="mint(address)")
    assert send(mint(items, ELSEWHERE))["interactions"][0]["functionName"] == "mint(address)"
    # keccak256("mint(address)") begins with 6a627842, keccak256("mint(address,uint256)") with 40c10f19.
    argument = "0" * 24 + ELSEWHERE[2:]
    assert sponsored(send({"to": ITEMS, "data": "0x6a627842" + argument}))
    assert not sponsored(send({"to": ITEMS, "data": "0x40c10f19" + argument + "0" * 64}))


def test_without_an_abi_a_function_is_told_by_its_name(api: Client, add: Add, send: Send) -> None:
    bare = new_contract(api, ELSEWHERE)
    add(type="contract_functions", contract=bare, functionName="mint")
    call = {"contract": bare, "functionName": "mint(address)", "functionArgs": [ITEMS]}
    assert sponsored(send(call))
    assert not sponsored(send({**call, "functionName": "burn(address)"}))
    assert not sponsored(send({"to": ELSEWHERE, "data": "0x6a627842" + "0" * 64}))


def test_all_functions_of_a_contract_are_those_of_no_other(add: Add, send: Send, items: str) -> None:
    add(type="contract_functions", contract=items, functionName="All functions")
    assert sponsored(send({"contract": items, "functionName": "pause"}, {"to": ITEMS, "data": "0x01020304"}))
    assert not sponsored(send({"to": ELSEWHERE, "data": "0x01020304"}))


def test_a_wildcard_names_contracts(api: Client, add: Add, send: Send, items: str, account: str) -> None:
    add(type="contract_functions", wildcard=True)
    address = api.get(f"/v1/accounts/{account}").json()["address"]
    assert sponsored(
        send({"contract": items, "functionName": "pause"}, {"to": ELSEWHERE, "data": "0x01020304"})
    )
    assert not sponsored(send({"to": address, "data": "0x01020304"}))
    assert not sponsored(send({"to": ELSEWHERE, "value": "1"}))


def test_a_wildcard_may_name_a_function_of_every_contract(add: Add, send: Send, items: str) -> None:
    add(type="contract_functions", wildcard=True, functionName="mint(address)")
    argument = "0" * 24 + ELSEWHERE[2:]
    assert sponsored(send(mint(items, ELSEWHERE), {"to": ELSEWHERE, "data": "0x6a627842" + argument}))
    assert not sponsored(send({"contract": items, "functionName": "pause"}))


def test_accounts_own_functions_count(api: Client, add: Add, send: Send, items: str, account: str) -> None:
    add(type="account_functions")
    address = api.get(f"/v1/accounts/{account}").json()["address"]
    call = {"to": address, "functionName": "transferOwnership(address)", "functionArgs": [ELSEWHERE]}
    assert sponsored(send(call, {"to": ELSEWHERE, "value": "1"}))
    assert not sponsored(send(call, {"contract": items, "functionName": "pause"}))
    add(type="contract_functions", contract=items, functionName="pause")
    assert sponsored(send(call, {"contract": items, "functionName": "pause"}))


def test_a_changed_or_deleted_rule_counts_at_once(api: Client, add: Add, send: Send, items: str) -> None:
    rule = add(type="contract_functions", contract=items, functionName="mint")
    pause = {"contract": items, "functionName": "pause"}
    assert not sponsored(send(pause))
    body = {"type": "contract_functions", "functionName": "pause"}
    api.post(f"/v1/policy_rules/{rule['id']}", json=body)
    assert sponsored(send(pause))
    assert not sponsored(send(mint(items, ELSEWHERE)))
    api.delete(f"/v1/policy_rules/{rule['id']}")
    assert sponsored(send(mint(items, ELSEWHERE)))
