"""Balances of tokens: they add up to the supply, and none is negative."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.chains.tokens import holdings
from mockserver.domain.chains.tokens.holdings import MOST, UNLIMITED, CallReverted, Token, TokenBalance
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.tables import cases

ADA, BOB, EVE = ("0x" + digit * 40 for digit in "123")
COIN = "0x" + "22" * 20


@pytest.fixture
def token(project: Project) -> Token:
    """A token on Polygon Amoy."""
    return Token(project, 80002, COIN)


def require_balances(project: Project) -> None:
    """Let a transfer of more than the balance be reverted."""
    project.settings = replace(project.settings, strict_token_balances=True)


MOVES = st.lists(
    st.tuples(
        st.sampled_from(["issue", "burn", "move", "set"]),
        st.sampled_from([ADA, BOB, EVE]),
        st.sampled_from([ADA, BOB, EVE]),
        st.sampled_from([0, 1, 7, 10**18, MOST // 2, MOST]),
    ),
    max_size=20,
)


@given(MOVES, st.booleans(), st.none() | st.integers(0, 1))
def test_balances_add_up_to_the_supply(
    moves: list[tuple[str, str, str, int]], strict: bool, token_id: int | None
) -> None:
    project = World().create(name="tokens")
    if strict:
        require_balances(project)
    token = Token(project, 80002, COIN)
    for name, sender, receiver, amount in moves:
        savepoint = project.undo.savepoint()
        try:
            match name:
                case "issue":
                    holdings.issue(token, receiver, amount, token_id)
                case "burn":
                    holdings.burn(token, sender, amount, token_id)
                case "move":
                    holdings.move(token, sender, receiver, amount, token_id)
                case _:
                    holdings.set_balance(token, receiver, amount, token_id)
        except CallReverted:
            project.undo.roll_back_to(savepoint)
        balances = [holdings.balance_of(token, holder, token_id) for holder in (ADA, BOB, EVE)]
        assert min(balances) >= 0
        assert sum(balances) == holdings.supply_of(token, token_id) <= MOST


def test_what_a_sender_is_short_of_was_there_before(token: Token) -> None:
    holdings.move(token, ADA, BOB, 5)
    assert (holdings.balance_of(token, ADA), holdings.balance_of(token, BOB)) == (0, 5)
    assert holdings.supply_of(token) == 5


@cases("token_id, error", (None, "ERC20"), (7, "ERC1155"))
def test_strict_balances_say_what_is_missing(token: Token, token_id: int | None, error: str) -> None:
    require_balances(token.project)
    holdings.issue(token, ADA, 4, token_id)
    with pytest.raises(CallReverted, match=f"{error}InsufficientBalance"):
        holdings.move(token, ADA, BOB, 5, token_id)


def test_no_more_is_issued_than_a_contract_can_count(token: Token) -> None:
    holdings.issue(token, ADA, MOST)
    with pytest.raises(CallReverted, match="Panic"):
        holdings.issue(token, BOB, 1)


def test_addresses_are_the_same_in_any_case(token: Token) -> None:
    mixed = "0x" + "aB" * 20
    holdings.issue(token, mixed, 3)
    assert holdings.balance_of(token._replace(address=COIN.upper().replace("X", "x")), mixed.lower()) == 3


def test_the_tokens_of_an_address_are_listed_with_their_ids(token: Token) -> None:
    other = token._replace(address="0x" + "33" * 20)
    holdings.issue(token, ADA, 3)
    holdings.issue(other, ADA, 1, 42)
    holdings.issue(other._replace(chain_id=137), ADA, 1, 43)
    assert holdings.tokens_of(token.project, 80002, ADA) == [
        TokenBalance(token.address, None, 3),
        TokenBalance(other.address, 42, 1),
    ]


def test_an_nft_belongs_to_whom_it_was_moved_to(token: Token) -> None:
    for token_id in (1, 2):
        holdings.issue(token, ADA, 1, token_id)
    holdings.move(token, ADA, BOB, 1, 2)
    assert (holdings.count_of(token, ADA), holdings.count_of(token, BOB)) == (1, 1)
    assert holdings.supply_of_all(token) == 2
    owner = holdings.owner_of(token, 2)
    assert owner is not None
    assert owner.lower() == BOB
    assert holdings.owner_of(token, 3) is None


@cases("allowed, left", (10, 7), (3, 0), (UNLIMITED, UNLIMITED))
def test_an_allowance_shrinks_unless_it_is_unlimited(token: Token, allowed: int, left: int) -> None:
    holdings.allow(token, ADA, EVE, allowed)
    holdings.spend_allowance(token, ADA, EVE, 3)
    assert holdings.allowance(token, ADA, EVE) == left


def test_approvals_are_given_and_taken_back(token: Token) -> None:
    holdings.approve(token, 1, EVE)
    holdings.allow_all(token, ADA, EVE, True)
    assert holdings.find_approved(token, 1) == EVE
    assert holdings.is_operator(token, ADA, EVE)
    holdings.approve(token, 1, None)
    holdings.allow_all(token, ADA, EVE, False)
    assert holdings.find_approved(token, 1) is None
    assert not holdings.is_operator(token, ADA, EVE)
