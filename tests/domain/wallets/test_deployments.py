"""Which of the implementations of an address is in use, whatever happened to it before."""

from hypothesis import given
from hypothesis import strategies as st

from mockserver.chain.implementations import IMPLEMENTATIONS, ImplementationType
from mockserver.domain.chains import ledger
from mockserver.domain.transactions import creation
from mockserver.domain.transactions.account_changes.removal import remove
from mockserver.domain.transactions.calls import resolve_calls
from mockserver.domain.transactions.preparation import Prepared
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.domain.wallets.accounts import create_contract_account
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from mockserver.state.world import World
from tests.accounts import account_of

CHAIN = 84532
KINDS: tuple[ImplementationType, ...] = ("Calibur", "CaliburV9")
CALL = {"to": "0x" + "11" * 20}


def delegated_accounts(project: Project, owner: Account) -> list[Account]:
    rows = project.wallets.accounts.find("address", owner.address.lower())
    return [row for row in rows if row.smart_account is not None]


def is_active(account: Account) -> bool:
    return account.smart_account is not None and account.smart_account.active


def implementation_of(account: Account) -> str | None:
    return account.smart_account and account.smart_account.implementation_address


def take_step(project: Project, owner: Account, step: str, kind: ImplementationType) -> None:
    """Create, use or remove the delegated account of a kind; what does not apply is left out."""
    address = IMPLEMENTATIONS[kind].address
    known = [row for row in delegated_accounts(project, owner) if implementation_of(row) == address]
    if step == "create" and not known:
        create_contract_account(project, owner, CHAIN, IMPLEMENTATIONS[kind])
    elif step == "use" and known:
        creation.create(project, Prepared(known[0], CHAIN, resolve_calls(project, CHAIN, [CALL])))
    elif step == "remove" and known:
        remove(project, known[0])
    elif step == "mine":
        TIMER_LOOP.advance(project, project.clock.now_ms + 2_000)


@given(
    st.lists(
        st.tuples(st.sampled_from(["create", "use", "remove", "mine"]), st.sampled_from(KINDS)), max_size=12
    )
)
def test_the_account_in_use_is_the_chains_delegate(steps: list[tuple[str, ImplementationType]]) -> None:
    project = World().create(name="delegations")
    owner = account_of(project, "plain")
    for step, kind in steps:
        take_step(project, owner, step, kind)
        rows = delegated_accounts(project, owner)
        delegate = ledger.chain_account(project, CHAIN, owner.address).delegate
        if delegate is None:
            assert [is_active(row) for row in rows] == [row is rows[-1] for row in rows]
        else:
            assert [is_active(row) for row in rows] == [implementation_of(row) == delegate for row in rows]
