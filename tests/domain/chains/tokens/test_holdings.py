"""Balances of tokens: they add up to the supply, and none is negative."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.domain.chains.tokens import holdings
from mockserver.domain.chains.tokens.holdings import MOST, CallReverted, Token, TokenBalance
from mockserver.state.project import Project
from mockserver.state.world import World

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


def test_the_tokens_of_an_address_are_listed_with_their_ids(token: Token) -> None:
    other = token._replace(address="0x" + "33" * 20)
    holdings.issue(token, ADA, 3)
    holdings.issue(other, ADA, 1, 42)
    holdings.issue(other._replace(chain_id=137), ADA, 1, 43)
    assert holdings.tokens_of(token.project, 80002, ADA) == [
        TokenBalance(token.address, None, 3),
        TokenBalance(other.address, 42, 1),
    ]
