"""Transactions that are created, signed and settled without the API."""

from mockserver.domain.sponsorship.sponsors import Sponsor
from mockserver.domain.transactions import creation
from mockserver.domain.transactions.calls import resolve_calls
from mockserver.domain.transactions.preparation import Prepared
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.onchain import Transaction, TransactionError
from mockserver.state.project import Project
from mockserver.state.wallets import Account, Custody
from tests import accounts
from tests.accounts import AccountKind
from tests.signing import owner_of, sign_hash

CHAIN, ZKSYNC = 84532, 300
THERE = "0x" + "11" * 20


def account_of(
    project: Project, kind: AccountKind, held_by: Custody = "Developer", chain: int = CHAIN
) -> Account:
    return accounts.account_of(project, kind, chain=chain, held_by=held_by)


def send(project: Project, account: Account, value: int = 1000, sponsored: bool = False) -> Transaction:
    return create(project, account, [{"to": THERE, "value": str(value)}], sponsored=sponsored)


def create(
    project: Project,
    account: Account,
    asked: list[dict[str, str]],
    *,
    sponsored: bool = False,
    chain: int = CHAIN,
) -> Transaction:
    calls = resolve_calls(project, chain, asked)
    if not sponsored:
        return creation.create(project, Prepared(account, chain, calls))
    prepared = Prepared(account, chain, calls, sponsorship_id="pol_1", sponsor=Sponsor("pol_1"))
    return creation.create(project, prepared)


def sign(project: Project, row: Transaction, *, eip191: bool = False) -> Transaction:
    assert row.execution is not None
    owner = owner_of(project, project.wallets.accounts[row.account_id])
    signature = sign_hash(owner, row.execution.signing_hash, eip191=eip191)
    return creation.sign(project, row, bytes.fromhex(signature[2:]))


def settled(project: Project, row: Transaction, after_ms: int = 60_000) -> Transaction:
    TIMER_LOOP.advance(project, project.clock.now_ms + after_ms)
    return project.onchain.transactions[row.id]


def events(row: Transaction) -> list[str]:
    return [event.event for event in row.timeline]


def error_of(row: Transaction) -> TransactionError:
    assert row.receipt is not None
    assert row.receipt.error is not None
    return row.receipt.error
