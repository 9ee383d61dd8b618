"""Owners and approvals of ERC-721 tokens."""

from httpx import Client

from mockserver.state.project import Project
from tests.accounts import account_of
from tests.operations.token_balances.helpers import ERC721, OTHER, THERE, ZERO, Chain, strict, topic, word


def test_an_nft_has_one_owner(api: Client, project: Project) -> None:
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
    assert chain.call("safeMint", me, "1")["receipt"]["error"]["name"] == "ERC721InvalidSender"
    assert chain.read("supportsInterface", "0x80ac58cd") is True


def test_an_approval_of_an_nft_ends_when_it_moves(api: Client, project: Project) -> None:
    chain = Chain(api, project, ERC721)
    strict(project)
    me, friend = chain.account.address, account_of(project, "plain")
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
    for call in (("burn", "10"), ("approve", friend.address, "10")):
        assert chain.call(*call)["receipt"]["error"]["name"] == "ERC721NonexistentToken"


def test_only_the_owner_and_who_is_approved_burns_an_nft(api: Client, project: Project) -> None:
    chain = Chain(api, project, ERC721)
    strict(project)
    me, friend = chain.account.address, account_of(project, "plain")
    project.undo.mark()
    chain.call("safeMint", me, "9")
    refused = chain.call("burn", "9", by=friend)
    assert refused["receipt"]["error"]["reason"] == f"ERC721InsufficientApproval({friend.address}, 9)"
    assert (chain.read("ownerOf", 9), chain.read("totalSupply")) == (me, "1")
    chain.call("approve", friend.address, "9")
    assert chain.call("burn", "9", by=friend)["status"] == "successful"
    assert (chain.read("ownerOf", 9), chain.read("totalSupply")) == (ZERO, "0")
    chain.call("safeMint", me, "9")
    again = chain.call("burn", "9", by=friend)
    assert again["receipt"]["error"]["reason"] == refused["receipt"]["error"]["reason"], (
        "it was approved once"
    )
