"""What holds for tokens of every standard."""

from collections.abc import Callable

from eth_abi import encode
from eth_utils import keccak, to_checksum_address
from httpx import Client
from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.chains.tokens import erc20, erc721, erc1155, standards
from mockserver.domain.chains.tokens.holdings import CallReverted
from mockserver.state.onchain import CallRecord, Contract
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.operations.token_balances.helpers import (
    AMOY,
    ERC20,
    ERC721,
    OTHER,
    THERE,
    TOKEN,
    UNLIMITED,
    Chain,
    entry,
    strict,
)
from tests.tables import cases


def test_the_selectors_are_those_of_the_standards() -> None:
    known = {function.selector for function in standards.known_functions()}
    for calls in (erc20.CALLS, erc721.CALLS, erc1155.CALLS):
        for signature in calls:
            assert keccak(text=signature)[:4] in known


def test_a_contract_without_tokens_keeps_answering_zero(api: Client, project: Project) -> None:
    chain = Chain(api, project, [entry("score(address)", "uint256"), entry("win(address)")])
    assert chain.call("win", THERE)["receipt"]["logs"] == []
    assert chain.read("score", THERE) == "0"


def test_a_test_gives_tokens_and_coins_through_the_control_api(api: Client, project: Project) -> None:
    chain = Chain(api, project, ERC721)
    path = f"/_mock/projects/-/chains/{AMOY}/addresses/{THERE}"
    given = {"contract": TOKEN, "balance": "1", "token_id": "7"}
    answer = api.put(path, json={"balance_wei": "5", "tokens": [given]})
    assert answer.status_code == 200, answer.text
    assert answer.json()["tokens"] == [{"contract": TOKEN, "token_id": "7", "balance": "1"}]
    assert api.get(path).json() == answer.json()
    assert (answer.json()["balance_wei"], chain.read("ownerOf", 7)) == ("5", THERE)
    elsewhere = path.replace(THERE, OTHER)
    api.put(elsewhere, json={"tokens": [given]})
    assert chain.read("ownerOf", 7) == OTHER
    assert api.get(path).json()["tokens"] == []
    for wrong in ({**given, "balance": "2"}, {"contract": TOKEN, "balance": "1"}):
        refused = api.put(path, json={"tokens": [wrong]})
        assert (refused.status_code, refused.json()["param"]) == (400, "tokens[0]")
    for place in (path.replace(THERE, "0x12"), path.replace(str(AMOY), "none")):
        assert api.get(place).status_code == 400


CALLS = st.lists(
    st.tuples(
        st.sampled_from(
            ["transfer", "transferFrom", "approve", "mint", "burn", "burnFrom", "mint", "safeMint", "next"]
        ),
        st.integers(0, 3),
        st.integers(0, 3),
        st.sampled_from([0, 1, 2, 3, 100, UNLIMITED // 4]),
    ),
    max_size=25,
)
DATA: dict[str, tuple[str, Callable[[str, str, int], list[str | int]]]] = {
    "transfer": ("transfer(address,uint256)", lambda a, b, n: [b, n]),
    "transferFrom": ("transferFrom(address,address,uint256)", lambda a, b, n: [a, b, n]),
    "approve": ("approve(address,uint256)", lambda a, b, n: [b, n]),
    "mint": ("mint(address,uint256)", lambda a, b, n: [b, n]),
    "burn": ("burn(uint256)", lambda a, b, n: [n]),
    "burnFrom": ("burnFrom(address,uint256)", lambda a, b, n: [a, n]),
    "safeMint": ("safeMint(address,uint256)", lambda a, b, n: [b, n]),
    "next": ("mint(address)", lambda a, b, n: [b]),
}


@given(CALLS, st.booleans(), st.sampled_from(["20", "721"]))
def test_no_token_is_ever_lost(calls: list[tuple[str, int, int, int]], insist: bool, standard: str) -> None:
    project = World().create(name="tokens")
    if insist:
        strict(project)
    abi = ERC20 if standard == "20" else ERC721
    project.onchain.contracts.insert(Contract("con_1", 0, "Coin", AMOY, TOKEN, tuple(abi)))
    people = [to_checksum_address(f"0x{digit * 40}") for digit in "1234"]
    for name, a, b, amount in calls:
        signature, arguments = DATA[name]
        types = [text for text in signature.partition("(")[2].rstrip(")").split(",") if text]
        data = keccak(text=signature)[:4] + encode(types, arguments(people[a], people[b], amount))
        savepoint = project.undo.savepoint()
        try:
            standards.make_call(project, AMOY, people[a], CallRecord(TOKEN, 0, data, {}))
        except CallReverted:
            project.undo.roll_back_to(savepoint)
        rows = list(project.chains.token_holdings)
        assert all(row.balance >= 0 for row in rows)
        assert sum(row.balance - row.issued for row in rows) == 0
        if standard == "721":
            units = [row.unit for row in rows if row.balance]
            assert len(units) == len(set(units))
            assert all(row.balance <= 1 for row in rows)


def test_an_erc20_has_no_token_ids(api: Client, project: Project) -> None:
    Chain(api, project, ERC20)
    path = f"/_mock/projects/-/chains/{AMOY}/addresses/{THERE}"
    given = {"contract": TOKEN, "balance": "1", "token_id": "7"}
    refused = api.put(path, json={"tokens": [given]})
    assert (refused.status_code, refused.json()["param"]) == (400, "tokens[0]")
    assert "an ERC-20 has no token ids" in refused.text


@cases("indexed, standard", (True, "ERC-721"), (False, "ERC-20"))
def test_a_transfer_event_tells_the_standard_by_its_third_topic(indexed: bool, standard: str) -> None:
    names = [("from", "address", True), ("to", "address", True), ("value", "uint256", indexed)]
    inputs = [{"name": name, "type": kind, "indexed": topic} for name, kind, topic in names]
    assert standards.standard_of([{"type": "event", "name": "Transfer", "inputs": inputs}]) == standard
