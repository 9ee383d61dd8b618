"""The standard of a token follows from its contract on the chain, not from what is registered at the time."""

from dataclasses import replace
from typing import Any

import pytest

from mockserver.chain.abi.functions import Function, encode_call
from mockserver.domain.chains.tokens import holdings, standards
from mockserver.domain.chains.tokens.holdings import CallReverted, Token
from mockserver.state.onchain import CallRecord, Contract
from mockserver.state.project import Project
from tests.tables import cases

CHAIN = 80002
ADA, BOB = ("0x" + digit * 40 for digit in "12")
ART = "0x" + "33" * 20
ERC721 = (
    {"type": "function", "name": "ownerOf", "inputs": [{"type": "uint256", "name": ""}], "outputs": []},
)


@pytest.fixture
def art(project: Project) -> Token:
    """A token on Polygon Amoy that is registered as an ERC-721."""
    project.onchain.contracts.insert(Contract("con_art", 0, "Art", CHAIN, ART, ERC721))
    return Token(project, CHAIN, ART)


def change_registration(project: Project, **change: Any) -> Contract:
    return project.onchain.contracts.replace(project.onchain.contracts["con_art"]._replace(**change))


def transfer(token: Token, token_id: int) -> None:
    data = encode_call(Function.parse("transferFrom(address,address,uint256)"), [ADA, BOB, str(token_id)])
    standards.make_call(token.project, CHAIN, ADA, CallRecord(ART, 0, data, {}))


def test_an_nft_is_moved_after_its_contract_was_deleted(project: Project, art: Token) -> None:
    holdings.issue(art, ADA, 1, 7)
    change_registration(project, deleted=True)
    transfer(art, 7)
    assert holdings.owner_of(art, 7) == BOB
    assert holdings.balance_of(art, BOB) == 0


def test_the_first_transfer_after_a_deletion_is_of_an_nft(project: Project, art: Token) -> None:
    change_registration(project, deleted=True)
    transfer(art, 7)
    assert holdings.owner_of(art, 7) == BOB


def test_an_nft_is_moved_by_a_contract_registered_no_more(project: Project, art: Token) -> None:
    holdings.issue(art, ADA, 1, 7)
    project.onchain.contracts.remove("con_art")
    transfer(art, 7)
    assert holdings.owner_of(art, 7) == BOB


def test_a_contract_without_abi_counts_the_nfts_that_it_has(project: Project, art: Token) -> None:
    holdings.issue(art, ADA, 1, 7)
    contract = change_registration(project, abi=())
    balance_of = standards.add_outputs(Function.parse("balanceOf(address)"))
    assert standards.read(project, contract, balance_of, (ADA,)) == (1,)


def test_a_registration_counts_before_a_deleted_one(project: Project, art: Token) -> None:
    project.onchain.contracts.insert(Contract("con_coin", 0, "Coin", CHAIN, ART))
    project.onchain.contracts.insert(Contract("con_old", 0, "Old", CHAIN, ART, deleted=True))
    change_registration(project, deleted=True)
    transfer(art, 7)
    assert holdings.balance_of(art, BOB) == 7


def call(token: Token, sender: str, signature: str, *arguments: object) -> None:
    data = encode_call(Function.parse(signature), [*arguments])
    standards.make_call(token.project, token.chain_id, sender, CallRecord(token.address, 0, data, {}))


def test_minted_nfts_are_numbered_from_0(art: Token) -> None:
    for number in range(9):
        call(art, ADA, "mint(address)", BOB)
        assert holdings.owner_of(art, number) == BOB
        assert holdings.owner_of(art, number + 1) is None


@cases(
    "signature, arguments",
    ("safeTransferFrom(address,address,uint256,uint256,bytes)", (ADA, BOB, 7, 3, "0x")),
    ("safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)", (ADA, BOB, [7], [3], "0x")),
    ("burn(address,uint256,uint256)", (ADA, 7, 3)),
    ("burnBatch(address,uint256[],uint256[])", (ADA, [7], [3])),
)
def test_only_owners_and_operators_move_strict_tokens(
    project: Project, signature: str, arguments: tuple[object, ...]
) -> None:
    project.settings = replace(project.settings, strict_token_balances=True)
    token = Token(project, CHAIN, ART)
    holdings.issue(token, ADA, 10, 7)
    with pytest.raises(CallReverted, match="ERC1155MissingApprovalForAll"):
        call(token, BOB, signature, *arguments)
    assert holdings.balance_of(token, ADA, 7) == 10
    call(token, ADA, "setApprovalForAll(address,bool)", BOB, True)
    call(token, BOB, signature, *arguments)
    call(token, ADA, signature, *arguments)
    assert holdings.balance_of(token, ADA, 7) == 4
