"""Balances and allowances of ERC-20 tokens."""

from eth_abi import decode
from httpx import Client

from mockserver.domain.chains.tokens import holdings
from mockserver.domain.chains.tokens.holdings import Token
from mockserver.state.project import Project
from tests.accounts import account_of
from tests.fates import add_fate
from tests.operations.token_balances.helpers import (
    AMOY,
    ERC20,
    THERE,
    TOKEN,
    UNLIMITED,
    ZERO,
    Chain,
    strict,
    topic,
    word,
)
from tests.tables import cases


def test_what_is_minted_and_transferred_can_be_read(api: Client, project: Project) -> None:
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


def test_an_allowance_shrinks_as_it_is_used(api: Client, project: Project) -> None:
    chain = Chain(api, project, ERC20)
    me, spender = chain.account.address, account_of(project, "plain")
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


def test_what_a_holder_is_short_of_was_there_before(api: Client, project: Project) -> None:
    chain = Chain(api, project, ERC20)
    assert chain.call("transfer", THERE, "7")["status"] == "successful"
    assert chain.read("balanceOf", chain.account.address) == "0"
    assert (chain.read("balanceOf", THERE), chain.read("totalSupply")) == ("7", "7")


def test_strictly_a_transfer_of_too_much_is_reverted(api: Client, project: Project) -> None:
    chain = Chain(api, project, ERC20)
    strict(project)
    me, spender = chain.account.address, account_of(project, "plain")
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


def test_a_batch_that_reverts_leaves_no_balance_behind(api: Client, project: Project) -> None:
    chain = Chain(api, project, ERC20)
    strict(project)
    owner = account_of(project, "plain")
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


@cases("outcome", "reverted", "dropped", "failed")
def test_what_did_not_succeed_moved_nothing(api: Client, project: Project, outcome: str) -> None:
    chain = Chain(api, project, ERC20)
    add_fate(project, outcome)
    project.undo.mark()
    assert chain.call("mint", THERE, "5")["status"] != "successful"
    assert chain.read("balanceOf", THERE) == "0"


def test_a_token_on_another_chain_is_another_token(api: Client, project: Project) -> None:
    chain = Chain(api, project, ERC20)
    chain.call("mint", THERE, "5")
    assert holdings.balance_of(Token(project, 84532, TOKEN), THERE) == 0
    assert holdings.balance_of(Token(project, AMOY, TOKEN.lower()), THERE.lower()) == 5
