"""Code and storage are state of a project like all other: undone, restored, forked; and money adds up."""

from typing import Any

import pytest
from httpx import Client
from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.chains.execution import set_code
from mockserver.domain.transactions.contract_reads import read_in_slices
from mockserver.domain.wallets.outcomes import make_calls, measure_gas
from mockserver.errors import ApiError
from mockserver.kernel.effort import finish
from mockserver.leniencies import refuse
from mockserver.state.onchain import CallRecord
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import account_of
from tests.chain.evm.machines import CONTRACTS, calldata
from tests.operations.contracts_with_code.chain import AMOY, CONTROL, THERE, Chain
from tests.operations.responses import ok

ETHER = 10**18
BANK, RUNTIMES = "0x" + "ba" * 20, ("Bank", "Counter", "Factory", "Batch")


def storage(api: Client, contract: Any) -> Any:
    return ok(api.get(f"{CONTROL}/addresses/{contract['address']}"))["storage"]


def test_a_snapshot_has_code_and_storage(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    counter = chain.deploy("Counter", "5")
    before = storage(api, counter)
    snapshot = api.post("/_mock/projects/-/snapshots", json={"name": "before"}).json()["id"]
    chain.send(counter, "push", "3")
    later = chain.deploy("Bank", False)
    assert storage(api, counter) != before
    ok(api.post(f"/_mock/projects/-/snapshots/{snapshot}/restore"))
    assert storage(api, counter) == before
    assert not chain.address(later["address"])["deployed"]


def test_a_fork_goes_its_own_way(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    counter = chain.deploy("Counter", "5")
    n = api.get("/_mock/projects/-/timeline").json()["data"][-1]["n"]
    chain.send(counter, "increment")
    made = api.post("/_mock/projects/-/forks", json={"at": n})
    assert made.status_code == 201, made.text
    path = f"/_mock/projects/{made.json()['id']}/chains/{AMOY}/addresses/{counter['address']}"
    assert ok(api.get(path))["storage"]["0x0"] == "0x5"
    assert storage(api, counter)["0x0"] == "0x6"


def test_reads_and_estimates_change_nothing(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    counter = chain.deploy("Counter", "5")
    before = ok(api.get(f"{CONTROL}/state"))
    assert chain.read(counter, "increment") is None
    call = {"contractId": counter["contract_id"], "functionName": "increment"}
    body = {"chainId": AMOY, "accountId": chain.account.id, "calls": [call]}
    ok(api.post("/v2/transactions/estimate", json=body))
    assert ok(api.get(f"{CONTROL}/state"))["accounts"] == before["accounts"]


def test_a_long_read_pauses_for_other_calls(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    reverts, counter = chain.deploy("Reverts"), chain.deploy("Counter", "5")
    contract = project.onchain.contracts[reverts["contract_id"]]
    work = read_in_slices(project, contract, "loop", [], refuse)
    for _ in range(5):
        next(work)
        chain.send(counter, "increment")
    assert chain.read(counter, "count") == "10"
    with pytest.raises(ApiError, match="out of gas"):
        finish(work)


CALLS = st.tuples(
    st.sampled_from(RUNTIMES),
    st.sampled_from(
        [
            calldata("Bank", "deposit"),
            calldata("Bank", "withdraw"),
            calldata("Counter", "increment"),
            calldata("Counter", "push", 2),
            calldata("Factory", "makeAndBoom", 1),
            calldata("Factory", "make", 1, bytes(32)),
            calldata("Batch", "execute", [["0x" + "ba" * 20, 5, "0xd0e30db0"], [THERE, 7, "0x"]]),
            b"",
        ]
    ),
    st.sampled_from([0, 0, 1, 12, ETHER // 4, 2 * ETHER]),
)


@given(batches=st.lists(st.lists(CALLS, min_size=1, max_size=3), max_size=8))
def test_money_is_conserved_and_measuring_changes_nothing(batches: list[list[Any]]) -> None:
    project = World().create(name="money")
    sender = account_of(project, "plain").address
    addresses = {name: "0x" + name.encode().hex().ljust(40, "0") for name in RUNTIMES}
    addresses["Bank"] = BANK
    for name, address in addresses.items():
        execution_of(project, address, name)
    for batch in batches:
        calls = tuple(CallRecord(addresses[name], value, data, {}) for name, data, value in batch)
        before = tables(project)
        measured = measure_gas(project, AMOY, sender, calls, 10**7)
        assert tables(project) == before
        made = make_calls(project, AMOY, sender, calls, 10**7)
        assert [call.gas for call in made.calls] == [call.gas for call in measured[: len(made.calls)]]
        if made.reverted is not None:
            assert tables(project) == before
        assert sum(row.balance - row.issued for row in project.chains.accounts) == 0


def execution_of(project: Project, address: str, name: str) -> None:

    set_code(project, AMOY, address, bytes.fromhex(CONTRACTS[name]["runtime_cancun"].removeprefix("0x")))


def tables(project: Project) -> Any:
    chains = project.chains
    return [list(table) for table in (chains.accounts, chains.codes, chains.slots, chains.token_holdings)]
