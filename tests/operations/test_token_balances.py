"""Tokens of the simulated chains: what calls move, logs tell and reads answer agree."""

from dataclasses import replace
from typing import Any

import httpx
import pytest
from eth_abi import decode, encode
from eth_utils import keccak, to_checksum_address
from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.chains.tokens import erc20, erc721, erc1155, holdings, standards
from mockserver.domain.chains.tokens.holdings import CallReverted, Token
from mockserver.domain.transactions.fates import add_fate
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.state.onchain import CallRecord, Contract
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from mockserver.state.world import World

AMOY = 80002
TOKEN = to_checksum_address("0x" + "22" * 20)
THERE = to_checksum_address("0x" + "11" * 20)
OTHER = to_checksum_address("0x" + "ab" * 20)
ZERO = "0x" + "00" * 20
UNLIMITED = 2**256 - 1


def entry(signature: str, *outputs: str) -> dict[str, Any]:
    name, _, rest = signature.partition("(")
    types = [text for text in rest.rstrip(")").split(",") if text]
    return {
        "type": "function",
        "name": name,
        "inputs": [{"name": f"a{at}", "type": text} for at, text in enumerate(types)],
        "outputs": [{"name": "", "type": text} for text in outputs],
    }


ERC20 = [
    entry("transfer(address,uint256)", "bool"),
    entry("transferFrom(address,address,uint256)", "bool"),
    entry("approve(address,uint256)", "bool"),
    entry("mint(address,uint256)"),
    entry("burn(uint256)"),
    entry("burnFrom(address,uint256)"),
    entry("increaseAllowance(address,uint256)", "bool"),
    entry("decreaseAllowance(address,uint256)", "bool"),
    entry("balanceOf(address)", "uint256"),
    entry("totalSupply()", "uint256"),
    entry("allowance(address,address)", "uint256"),
    entry("name()", "string"),
    entry("symbol()", "string"),
    entry("decimals()", "uint8"),
    entry("supportsInterface(bytes4)", "bool"),
    entry("maxWallet()", "uint256"),
]
ERC721 = [
    entry("mint(address)"),
    entry("safeMint(address,uint256)"),
    entry("transferFrom(address,address,uint256)"),
    entry("safeTransferFrom(address,address,uint256)"),
    entry("approve(address,uint256)"),
    entry("setApprovalForAll(address,bool)"),
    entry("burn(uint256)"),
    entry("balanceOf(address)", "uint256"),
    entry("ownerOf(uint256)", "address"),
    entry("getApproved(uint256)", "address"),
    entry("isApprovedForAll(address,address)", "bool"),
    entry("totalSupply()", "uint256"),
    entry("supportsInterface(bytes4)", "bool"),
]
ERC1155 = [
    entry("mint(address,uint256,uint256,bytes)"),
    entry("mintBatch(address,uint256[],uint256[],bytes)"),
    entry("safeTransferFrom(address,address,uint256,uint256,bytes)"),
    entry("safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)"),
    entry("burn(address,uint256,uint256)"),
    entry("burnBatch(address,uint256[],uint256[])"),
    entry("setApprovalForAll(address,bool)"),
    entry("balanceOf(address,uint256)", "uint256"),
    entry("balanceOfBatch(address[],uint256[])", "uint256[]"),
    entry("isApprovedForAll(address,address)", "bool"),
    entry("totalSupply(uint256)", "uint256"),
    entry("supportsInterface(bytes4)", "bool"),
]


class Chain:
    """A contract, somebody who calls it, and what it answers."""

    def __init__(self, api: httpx.Client, project: Project, abi: list[dict[str, Any]]) -> None:
        self.api, self.project = api, project
        body = {"name": "Coin", "chainId": AMOY, "address": TOKEN, "abi": abi}
        made = api.post("/v1/contracts", json=body)
        assert made.status_code == 200, made.text
        self.contract: str = made.json()["id"]
        self.account = account(project)
        project.undo.mark()

    def call(self, name: str, *args: object, by: Account | None = None) -> dict[str, Any]:
        call = {"contractId": self.contract, "functionName": name, "functionArgs": list(args)}
        body = {"chainId": AMOY, "accountId": (by or self.account).id, "calls": [call]}
        made = self.api.post("/v2/transactions", json=body)
        assert made.status_code == 200, made.text
        shown = self.api.get(f"/v2/transactions/{made.json()['id']}", params={"expand": "logs"}).json()
        answer: dict[str, Any] = shown
        return answer

    def read(self, name: str, *args: object) -> Any:
        texts = [arg if isinstance(arg, str) else str(arg).replace("'", '"') for arg in args]
        asked = {"functionName": name, "functionArgs": texts}
        answer = self.api.get(f"/v1/contracts/{self.contract}/read", params=asked)
        assert answer.status_code == 200, answer.text
        return answer.json()["result"]


def account(project: Project) -> Account:
    return create_eoa(project, create_wallet(project), "EVM", held_by="Developer")


def topic(signature: str) -> str:
    return "0x" + keccak(text=signature).hex()


def word(value: str | int) -> str:
    """A topic: an address or a number in 32 bytes."""
    return "0x" + encode(["address" if isinstance(value, str) else "uint256"], [value]).hex()


def strict(project: Project) -> None:
    project.settings = replace(project.settings, strict_token_balances=True)


# --- ERC-20 --------------------------------------------------------------------------------------------


def test_what_is_minted_and_transferred_can_be_read(api: httpx.Client, project: Project) -> None:
    chain = Chain(api, project, ERC20)
    me = chain.account.address
    minted = chain.call("mint", me, "100")
    (log,) = minted["receipt"]["logs"]
    assert (log["address"], log["topics"]) == (
        TOKEN,
        [topic("Transfer(address,address,uint256)"), word(ZERO), word(me)],
    )
    assert decode(["uint256"], bytes.fromhex(log["data"][2:])) == (100,)
    chain.call("transfer", THERE, "40")
    assert chain.read("balanceOf", chain.account.id) == "60"
    assert chain.read("balanceOf", THERE) == "40"
    chain.call("burn", "10")
    assert (chain.read("balanceOf", me), chain.read("totalSupply")) == ("50", "90")
    assert (chain.read("name"), chain.read("symbol"), chain.read("decimals")) == ("Coin", "Coin", 18)
    assert chain.read("supportsInterface", "0x36372b07") is True
    assert chain.read("supportsInterface", "0x80ac58cd") is False
    assert chain.read("maxWallet") == "0"


@pytest.mark.parametrize("insisting", [True, False])
def test_there_is_never_more_of_a_token_than_a_uint256_holds(
    api: httpx.Client, project: Project, insisting: bool
) -> None:
    chain = Chain(api, project, ERC20)
    if insisting:
        strict(project)
    assert chain.call("mint", chain.account.address, str(UNLIMITED))["status"] == "successful"
    for call in (("mint", THERE, "1"), ("mint", chain.account.address, str(UNLIMITED))):
        refused = chain.call(*call)
        assert refused["status"] == "reverted"
        assert refused["receipt"]["error"]["reason"].startswith("Panic 0x11")
    other = account(project)
    project.undo.mark()
    assert chain.call("transfer", THERE, "1", by=other)["status"] == "reverted"
    assert chain.call("transfer", THERE, "1")["status"] == "successful"
    assert (chain.read("totalSupply"), chain.read("balanceOf", THERE)) == (str(UNLIMITED), "1")
    given = {"tokens": [{"contract": TOKEN, "balance": "2"}]}
    refused_gift = api.put(f"/_mock/projects/-/chains/{AMOY}/addresses/{THERE}", json=given)
    assert (refused_gift.status_code, refused_gift.json()["param"]) == (400, "tokens[0]")
    chain.call("burn", str(UNLIMITED - 1))
    assert chain.read("totalSupply") == "1"


def test_an_address_never_has_more_coins_than_a_uint256_holds(api: httpx.Client, project: Project) -> None:
    sender = account(project)
    project.undo.mark()
    for address in (sender.address, THERE):
        funded = {"balance_wei": str(UNLIMITED)}
        assert api.put(f"/_mock/projects/-/chains/{AMOY}/addresses/{address}", json=funded).status_code == 200
    calls = [{"to": THERE, "value": "1"}]
    made = api.post("/v2/transactions", json={"chainId": AMOY, "accountId": sender.id, "calls": calls}).json()
    assert made["status"] == "reverted"
    assert made["receipt"]["error"]["reason"].startswith("Panic 0x11")


@pytest.mark.parametrize(
    ("settings", "rate"),
    [
        ({"tokens": {TOKEN: {"decimals": 77, "price_usd": "0.00000001"}}}, {}),
        ({"chains": {str(AMOY): {"base_fee_wei": 10**13}}}, {"amount": str(UNLIMITED)}),
    ],
)
def test_a_price_that_no_uint256_holds_does_not_stop_the_clock(
    api: httpx.Client, project: Project, settings: dict[str, Any], rate: dict[str, str]
) -> None:
    assert api.put("/_mock/projects/-/settings", json=settings).status_code == 200
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
    policy = api.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"]
    strategy = {"sponsorSchema": "charge_custom_tokens", "tokenContracts": [{"contract": TOKEN, **rate}]}
    made = api.post("/v2/fee-sponsorship", json={"strategy": strategy, "policyId": policy})
    owner = account(project)
    smart = create_contract_account(project, owner, AMOY, IMPLEMENTATIONS["Simple"])
    project.undo.mark()
    body = {"chainId": AMOY, "accountId": smart.id, "calls": [{"to": THERE}]}
    body |= {"feeSponsorshipId": made.json()["id"]}
    statuses = [api.post("/v2/transactions", json=body).json()["status"] for _ in range(2)]
    # The first has had all of the token that there can be, and pays it back; the second finds none.
    assert statuses == ["successful", "failed"]
    assert api.post("/_mock/projects/-/clock/advance", json={"seconds": 60}).status_code == 200


def with_output(abi: list[dict[str, Any]], signature: str, output: str) -> list[dict[str, Any]]:
    """An ABI in which a function returns another type; of a tuple with one component."""
    returned: dict[str, Any] = {"name": "", "type": output}
    if output == "tuple":
        returned["components"] = [{"name": "amount", "type": "uint256"}]
    name = signature.partition("(")[0]
    return [{**each, "outputs": [returned]} if each["name"] == name else each for each in abi]


@pytest.mark.parametrize(
    ("output", "zero"),
    [
        ("bool", False),
        ("address", ZERO),
        ("string", ""),
        ("uint8", 0),
        ("uint128", "0"),
        ("int256", "0"),
        ("bytes32", "0x" + "00" * 32),
        ("uint256[]", []),
        ("tuple", {"amount": "0"}),
    ],
)
def test_a_balance_of_another_type_is_no_standard_read(
    api: httpx.Client, project: Project, output: str, zero: object
) -> None:
    chain = Chain(api, project, with_output(ERC20, "balanceOf(address)", output))
    chain.call("mint", chain.account.address, "300")
    assert chain.read("balanceOf", chain.account.id) == zero


@pytest.mark.parametrize(
    ("signature", "output", "value"),
    [
        ("decimals()", "uint256", "18"),
        ("decimals()", "uint32", 18),
        ("decimals()", "bytes1", "0x00"),
        ("decimals()", "string", ""),
        ("name()", "bytes32", "0x" + b"Coin".hex().ljust(64, "0")),
        ("symbol()", "bytes32", "0x" + b"Coin".hex().ljust(64, "0")),
        ("symbol()", "bytes", "0x"),
        ("name()", "uint256", "0"),
        ("supportsInterface(bytes4)", "uint8", 0),
        ("supportsInterface(bytes4)", "uint256[]", []),
    ],
)
def test_what_a_contract_says_of_itself_is_of_the_type_that_its_abi_declares(
    api: httpx.Client, project: Project, signature: str, output: str, value: object
) -> None:
    chain = Chain(api, project, with_output(ERC20, signature, output))
    arguments = ["0x36372b07"] if "bytes4" in signature else []
    assert chain.read(signature.partition("(")[0], *arguments) == value


@pytest.mark.parametrize(
    ("name", "value"),
    [("x" * 40, b"x" * 32), ("ä" * 20, "ä".encode() * 16), ("x" + "ä" * 20, b"x" + "ä".encode() * 15)],
)
def test_a_name_that_is_too_long_for_its_type_is_cut_between_characters(
    api: httpx.Client, project: Project, name: str, value: bytes
) -> None:
    chain = Chain(api, project, with_output(ERC20, "name()", "bytes32"))
    assert api.post(f"/v1/contracts/{chain.contract}", json={"name": name}).status_code == 200
    assert chain.read("name") == "0x" + value.ljust(32, b"\0").hex()


def test_a_token_without_an_abi_is_read_by_signatures(api: httpx.Client, project: Project) -> None:
    chain = Chain(api, project, [])
    chain.call("mint(address,uint256)", chain.account.address, "100")
    assert chain.read("balanceOf(address)", chain.account.id) == "100"
    assert (chain.read("totalSupply()"), chain.read("decimals()")) == ("100", 18)
    assert (chain.read("symbol()"), chain.read("ownerOf(uint256)", "1")) == ("Coin", ZERO)
    assert chain.read("maxWallet()") is None


def test_an_allowance_shrinks_as_it_is_used(api: httpx.Client, project: Project) -> None:
    chain = Chain(api, project, ERC20)
    me, spender = chain.account.address, account(project)
    project.undo.mark()
    chain.call("mint", me, "100")
    chain.call("approve", spender.address, "30")
    chain.call("increaseAllowance", spender.address, "5")
    chain.call("decreaseAllowance", spender.address, "1")
    assert chain.read("allowance", me, spender.address) == "34"
    moved = chain.call("transferFrom", me, THERE, "20", by=spender)
    assert moved["receipt"]["logs"][0]["topics"][1:] == [word(me), word(THERE)]
    assert chain.read("allowance", me, spender.address) == "14"
    chain.call("burnFrom", me, "4", by=spender)
    assert chain.read("allowance", me, spender.address) == "10"
    assert chain.read("balanceOf", me) == "76"
    chain.call("approve", spender.address, str(UNLIMITED))
    chain.call("transferFrom", me, THERE, "1", by=spender)
    assert chain.read("allowance", me, spender.address) == str(UNLIMITED)


def test_what_a_holder_is_short_of_was_there_before(api: httpx.Client, project: Project) -> None:
    chain = Chain(api, project, ERC20)
    assert chain.call("transfer", THERE, "7")["status"] == "successful"
    assert chain.read("balanceOf", chain.account.address) == "0"
    assert (chain.read("balanceOf", THERE), chain.read("totalSupply")) == ("7", "7")


def test_with_strict_balances_a_transfer_of_too_much_is_reverted(api: httpx.Client, project: Project) -> None:
    chain = Chain(api, project, ERC20)
    strict(project)
    me, spender = chain.account.address, account(project)
    project.undo.mark()
    failed = chain.call("transfer", THERE, "7")
    assert failed["status"] == "reverted"
    assert failed["receipt"]["error"] == {
        "name": "ERC20InsufficientBalance",
        "reason": f"ERC20InsufficientBalance({me}, 0, 7)",
    }
    assert failed["receipt"]["logs"] == []
    chain.call("mint", me, "7")
    failed = chain.call("transferFrom", me, THERE, "1", by=spender)
    assert failed["receipt"]["error"]["name"] == "ERC20InsufficientAllowance"
    chain.call("approve", spender.address, "1")
    assert chain.call("transferFrom", me, THERE, "1", by=spender)["status"] == "successful"
    assert chain.call("transfer", THERE, "6")["status"] == "successful"
    assert chain.read("balanceOf", THERE) == "7"


def test_a_batch_that_reverts_leaves_no_balance_behind(api: httpx.Client, project: Project) -> None:
    chain = Chain(api, project, ERC20)
    strict(project)
    owner = account(project)
    project.undo.mark()
    body = {
        "accountType": "Smart Account",
        "chainType": "EVM",
        "chainId": AMOY,
        "user": owner.wallet_id,
        "account": owner.id,
    }
    smart = api.post("/v2/accounts", json=body).json()
    functions: list[tuple[str, list[str]]] = [
        ("mint", [smart["address"], "5"]),
        ("transfer", [THERE, "2"]),
        ("transfer", [THERE, "9"]),
    ]
    calls = [{"contractId": chain.contract, "functionName": f, "functionArgs": a} for f, a in functions]
    asked = {"chainId": AMOY, "accountId": smart["id"], "calls": calls}
    row = api.post("/v2/transactions", json=asked).json()
    assert row["receipt"]["error"]["reason"] == f"ERC20InsufficientBalance({smart['address']}, 3, 9)"
    assert (chain.read("balanceOf", THERE), chain.read("totalSupply")) == ("0", "0")
    asked["calls"] = calls[:2]
    assert api.post("/v2/transactions", json=asked).json()["status"] == "successful"
    assert (chain.read("balanceOf", THERE), chain.read("balanceOf", smart["address"])) == ("2", "3")


@pytest.mark.parametrize("outcome", ["reverted", "dropped", "failed"])
def test_what_did_not_succeed_moved_nothing(api: httpx.Client, project: Project, outcome: str) -> None:
    chain = Chain(api, project, ERC20)
    add_fate(project, outcome)
    project.undo.mark()
    assert chain.call("mint", THERE, "5")["status"] != "successful"
    assert chain.read("balanceOf", THERE) == "0"


def test_a_token_on_another_chain_is_another_token(api: httpx.Client, project: Project) -> None:
    chain = Chain(api, project, ERC20)
    chain.call("mint", THERE, "5")
    assert holdings.balance_of(Token(project, 84532, TOKEN), THERE) == 0
    assert holdings.balance_of(Token(project, AMOY, TOKEN.lower()), THERE.lower()) == 5


# --- ERC-721 -------------------------------------------------------------------------------------------


def test_an_nft_has_one_owner(api: httpx.Client, project: Project) -> None:
    chain = Chain(api, project, ERC721)
    me = chain.account.address
    for token_id in range(3):
        (log,) = chain.call("mint", me)["receipt"]["logs"]
        event = topic("Transfer(address,address,uint256)")
        assert log["topics"] == [event, word(ZERO), word(me), word(token_id)]
        assert log["data"] == "0x"
    chain.call("safeTransferFrom", me, THERE, "1")
    assert [chain.read("ownerOf", token_id) for token_id in range(4)] == [me, THERE, me, ZERO]
    assert (chain.read("balanceOf", me), chain.read("balanceOf", THERE)) == ("2", "1")
    chain.call("burn", "0")
    assert (chain.read("ownerOf", 0), chain.read("totalSupply")) == (ZERO, "2")
    taken = chain.call("transferFrom", me, OTHER, "1")
    assert taken["receipt"]["error"]["reason"] == f"ERC721IncorrectOwner({me}, 1, {THERE})"
    again = chain.call("safeMint", me, "1")
    assert again["receipt"]["error"]["name"] == "ERC721InvalidSender"
    assert chain.read("supportsInterface", "0x80ac58cd") is True


def test_an_approval_of_an_nft_ends_when_it_moves(api: httpx.Client, project: Project) -> None:
    chain = Chain(api, project, ERC721)
    strict(project)
    me, friend = chain.account.address, account(project)
    project.undo.mark()
    chain.call("safeMint", me, "9")
    refused = chain.call("transferFrom", me, THERE, "9", by=friend)
    assert refused["receipt"]["error"]["name"] == "ERC721InsufficientApproval"
    chain.call("approve", friend.address, "9")
    assert chain.read("getApproved", 9) == friend.address
    assert chain.call("transferFrom", me, friend.address, "9", by=friend)["status"] == "successful"
    assert chain.read("getApproved", 9) == ZERO
    chain.call("setApprovalForAll", me, "true", by=friend)
    assert chain.read("isApprovedForAll", friend.address, me) is True
    assert chain.call("transferFrom", friend.address, THERE, "9")["status"] == "successful"
    assert chain.call("burn", "10")["receipt"]["error"]["name"] == "ERC721NonexistentToken"


# --- ERC-1155 ------------------------------------------------------------------------------------------


def test_a_multi_token_keeps_a_balance_for_each_id(api: httpx.Client, project: Project) -> None:
    chain = Chain(api, project, ERC1155)
    me = chain.account.address
    (log,) = chain.call("mint", me, "1", "10", "0x")["receipt"]["logs"]
    event = topic("TransferSingle(address,address,address,uint256,uint256)")
    assert log["topics"] == [event, word(me), word(ZERO), word(me)]
    assert decode(["uint256", "uint256"], bytes.fromhex(log["data"][2:])) == (1, 10)
    chain.call("mintBatch", me, ["2", "3"], ["20", "30"], "0x")
    moved = chain.call("safeBatchTransferFrom", me, THERE, ["1", "3"], ["4", "5"], "0x")
    values = decode(["uint256[]", "uint256[]"], bytes.fromhex(moved["receipt"]["logs"][0]["data"][2:]))
    assert values == ((1, 3), (4, 5))
    chain.call("safeTransferFrom", me, THERE, "2", "1", "0x")
    chain.call("burn", me, "2", "9")
    chain.call("burnBatch", me, ["1"], ["1"])
    assert chain.read("balanceOf", me, 2) == "10"
    assert chain.read("balanceOfBatch", [me, THERE, THERE], [1, 1, 3]) == ["5", "4", "5"]
    uneven = {"functionName": "balanceOfBatch", "functionArgs": [f'["{me}"]', "[1, 2]"]}
    refused = api.get(f"/v1/contracts/{chain.contract}/read", params=uneven)
    assert (refused.status_code, refused.json()["error"]["param"]) == (400, "functionArgs")
    assert "ERC1155InvalidArrayLength" in refused.json()["error"]["message"]
    assert chain.read("totalSupply", 1) == "9"
    assert chain.read("supportsInterface", "0xd9b67a26") is True


def test_a_multi_token_is_moved_by_its_owner_or_an_operator(api: httpx.Client, project: Project) -> None:
    chain = Chain(api, project, ERC1155)
    strict(project)
    me, friend = chain.account.address, account(project)
    project.undo.mark()
    chain.call("mint", me, "1", "10", "0x")
    moving = ("safeTransferFrom", me, THERE, "1", "4", "0x")
    refused = chain.call(*moving, by=friend)
    assert refused["receipt"]["error"]["name"] == "ERC1155MissingApprovalForAll"
    chain.call("setApprovalForAll", friend.address, "true")
    assert chain.call(*moving, by=friend)["status"] == "successful"
    short = chain.call("safeTransferFrom", me, THERE, "1", "7", "0x")
    assert short["receipt"]["error"]["reason"] == f"ERC1155InsufficientBalance({me}, 6, 7, 1)"
    uneven = chain.call("burnBatch", me, ["1", "2"], ["1"])
    assert uneven["receipt"]["error"]["name"] == "ERC1155InvalidArrayLength"


# --- all of them ---------------------------------------------------------------------------------------


def test_the_selectors_are_those_of_the_standards() -> None:
    for calls in (erc20.CALLS, erc721.CALLS, erc1155.CALLS):
        for signature in calls:
            assert keccak(text=signature)[:4] in standards._calls_by_selector()


def test_a_contract_without_tokens_keeps_answering_zero(api: httpx.Client, project: Project) -> None:
    chain = Chain(api, project, [entry("score(address)", "uint256"), entry("win(address)")])
    assert chain.call("win", THERE)["receipt"]["logs"] == []
    assert chain.read("score", THERE) == "0"


def test_a_test_gives_tokens_and_coins_through_the_control_api(api: httpx.Client, project: Project) -> None:
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
DATA = {
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
