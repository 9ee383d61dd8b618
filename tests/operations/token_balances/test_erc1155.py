"""Balances and operators of ERC-1155 tokens."""

from eth_abi import decode
from httpx import Client

from mockserver.state.project import Project
from tests.accounts import account_of
from tests.operations.token_balances.helpers import THERE, ZERO, Chain, entry, strict, topic, word

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


def test_a_multi_token_keeps_a_balance_for_each_id(api: Client, project: Project) -> None:
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


def test_a_multi_token_is_moved_by_its_owner_or_an_operator(api: Client, project: Project) -> None:
    chain = Chain(api, project, ERC1155)
    strict(project)
    me, friend = chain.account.address, account_of(project, "plain")
    project.undo.mark()
    chain.call("mint", me, "1", "10", "0x")
    moving = ("safeTransferFrom", me, THERE, "1", "4", "0x")
    assert chain.call(*moving, by=friend)["receipt"]["error"]["name"] == "ERC1155MissingApprovalForAll"
    chain.call("setApprovalForAll", friend.address, "true")
    assert chain.call(*moving, by=friend)["status"] == "successful"
    short = chain.call("safeTransferFrom", me, THERE, "1", "7", "0x")
    assert short["receipt"]["error"]["reason"] == f"ERC1155InsufficientBalance({me}, 6, 7, 1)"
    uneven = chain.call("burnBatch", me, ["1", "2"], ["1"])
    assert uneven["receipt"]["error"]["name"] == "ERC1155InvalidArrayLength"
