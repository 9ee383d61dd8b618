"""Every attack fails, within a small budget; `python -m tests.adversary` has a larger one."""

from tests.adversary.attacks import ATTACKS
from tests.adversary.budget import Budget
from tests.tables import cases


@cases("name", *ATTACKS)
def test_the_attack_fails(name: str) -> None:
    attack, attempts = ATTACKS[name]
    budget = Budget(attempts=attempts)
    attack(budget)
    assert budget.spent == attempts


def test_the_same_seed_draws_the_same_attempts() -> None:
    first, again = (Budget(attempts=3, seed="x") for _ in range(2))
    assert [first.chance.random() for _ in first] == [again.chance.random() for _ in again]


def test_a_budget_of_seconds_ends() -> None:
    assert len(list(Budget(seconds=0.001))) > 0
