"""The topics: which change of which row each is about, and what its webhooks show of the row."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, NamedTuple

from mockserver.resources.solana import solana_answer
from mockserver.resources.users import user_answer
from mockserver.responses.accounts import account_answer
from mockserver.responses.funding import session_answer
from mockserver.responses.transaction_intents import intent_answer
from mockserver.responses.transactions import transaction_answer
from mockserver.state.onchain import SolanaTransaction, Transaction
from mockserver.state.project import Project

Covers = Callable[[Any, Any], bool]
"""Whether a topic is about a change, given the row before and after it; None where there is none."""
Show = Callable[[Project, Any], Mapping[str, Any]]


class Topic(NamedTuple):
    """A topic that is about the rows of a table."""

    name: str
    table: str
    covers: Covers
    show: Show


TopicName = Literal[
    "transaction_intent.broadcast",
    "transaction_intent.successful",
    "transaction_intent.cancelled",
    "transaction_intent.failed",
    "balance.project",
    "balance.contract",
    "balance.dev_account",
    "test",
    "user.created",
    "user.updated",
    "user.deleted",
    "account.created",
    "solana_transaction.broadcast",
    "solana_transaction.successful",
    "solana_transaction.failed",
    "funding.session.updated",
    "transaction.submitted",
    "transaction.succeeded",
    "transaction.failed",
]
"""What may be subscribed to. The last three are those of the newer transactions."""

_GIVEN_UP = {"dropped", "replaced", "expired"}
"""The events in the timeline of a transaction that no block took."""


def _is_created(before: object, after: object) -> bool:
    return before is None and after is not None


def _is_updated(before: object, after: object) -> bool:
    return before is not None and after is not None


def _is_deleted(before: object, after: object) -> bool:
    return before is not None and after is None


def _is_sent(before: Transaction | None, after: Transaction | None) -> bool:
    # One that a reorganization takes out of its block was sent before.
    was_sent = before is not None and before.status not in ("new", "awaiting_signature")
    return (
        after is not None
        and not after.is_raw
        and after.status not in ("new", "awaiting_signature", "failed")
        and not was_sent
    )


def _is_settled_as(*statuses: str, given_up: bool | None = None) -> Covers:
    """Whether a transaction is settled with one of these statuses, and as one that was given up or not."""

    def covers(before: Transaction | None, after: Transaction | None) -> bool:
        if after is None or after.is_raw or not after.is_settled or after.status not in statuses:
            return False
        was_given_up = not _GIVEN_UP.isdisjoint(at.event for at in after.timeline)
        return not (before is not None and before.is_settled) and given_up in (None, was_given_up)

    return covers


def _is_now(*statuses: str) -> Covers:
    """Whether a row has one of these statuses, which it had not."""

    def covers(before: Any, after: Any) -> bool:
        had = before is not None and before.status in statuses
        return after is not None and after.status in statuses and not had

    return covers


def _is_broadcast(before: SolanaTransaction | None, after: SolanaTransaction | None) -> bool:
    # One that is only signed has no signature.
    was_broadcast = before is not None and before.signature is not None
    return after is not None and after.signature is not None and not was_broadcast


def _show_solana(_: Project, row: SolanaTransaction) -> Mapping[str, Any]:
    return solana_answer(row)


_TRANSACTIONS, _SOLANA, _USERS = "onchain.transactions", "onchain.solana_transactions", "identity.users"
_ended = _is_settled_as("failed", "reverted", given_up=False)
_cancelled = _is_settled_as("failed", given_up=True)

TOPICS: tuple[Topic, ...] = (
    Topic("transaction_intent.broadcast", _TRANSACTIONS, _is_sent, intent_answer),
    Topic("transaction_intent.successful", _TRANSACTIONS, _is_settled_as("successful"), intent_answer),
    Topic("transaction_intent.cancelled", _TRANSACTIONS, _cancelled, intent_answer),
    Topic("transaction_intent.failed", _TRANSACTIONS, _ended, intent_answer),
    Topic("transaction.submitted", _TRANSACTIONS, _is_sent, transaction_answer),
    Topic("transaction.succeeded", _TRANSACTIONS, _is_settled_as("successful"), transaction_answer),
    Topic("transaction.failed", _TRANSACTIONS, _is_settled_as("failed", "reverted"), transaction_answer),
    Topic("user.created", _USERS, _is_created, user_answer),
    Topic("user.updated", _USERS, _is_updated, user_answer),
    Topic("user.deleted", _USERS, _is_deleted, user_answer),
    Topic("account.created", "wallets.accounts", _is_created, lambda _, row: account_answer(row)),
    Topic("funding.session.updated", "funding.sessions", _is_updated, session_answer),
    Topic("solana_transaction.broadcast", _SOLANA, _is_broadcast, _show_solana),
    Topic("solana_transaction.successful", _SOLANA, _is_now("confirmed"), _show_solana),
    Topic("solana_transaction.failed", _SOLANA, _is_now("failed", "expired"), _show_solana),
)
"""Each change that one covers makes a delivery to each trigger. Tests and balances are no such changes."""

TOPICS_OF: Mapping[str, tuple[Topic, ...]] = {
    table: tuple(topic for topic in TOPICS if topic.table == table)
    for table in dict.fromkeys(topic.table for topic in TOPICS)
}
"""The topics by their table."""
