"""Transactions as the API shows them (specification, Transaction (v2))."""

from collections.abc import Callable, Collection, Iterator
from typing import Any, Literal, NotRequired, TypeVar, cast

from typing_extensions import TypedDict

from mockserver.api.waiting import Later, Until
from mockserver.chain.user_operations import ENTRY_POINTS, rpc_shape
from mockserver.chain.zksync import ZkSyncTransaction
from mockserver.domain.transactions.lifecycle import find_transaction, is_settled
from mockserver.kernel.clock import to_seconds
from mockserver.responses.accounts import AccountAnswer, account_answer
from mockserver.responses.fee_sponsorships import FeeSponsorshipAnswer, fee_sponsorship_answer
from mockserver.state.chains import (
    Execution,
    PlainExecution,
    RawExecution,
    UserOperationExecution,
    ZkSyncExecution,
)
from mockserver.state.onchain import Inclusion, Receipt, Transaction, TransactionError, TransactionStatus
from mockserver.state.project import Project

T = TypeVar("T")

Expansion = Literal["account", "feeSponsorship", "timeline", "userOperation", "logs"]


class CallAnswer(TypedDict):
    """A call, with ids resolved to addresses."""

    to: NotRequired[str]
    value: NotRequired[str]
    data: NotRequired[str]
    """The calldata, 0x and hexadecimal digits."""
    dataSuffix: NotRequired[str]
    contractId: NotRequired[str]
    functionName: NotRequired[str]
    functionArgs: NotRequired[list[Any]]


class UserOperationAnswer(TypedDict):
    """Execution as a user operation (ERC-4337)."""

    type: Literal["userOperation"]
    userOperationHash: str
    entryPoint: str
    userOperation: NotRequired[dict[str, str]]
    """The user operation; only with `expand=userOperation`."""


# `from` is a Python keyword, so this member is declared with the functional syntax.
SenderAnswer = TypedDict("SenderAnswer", {"from": str})


class SentFields(SenderAnswer):
    """A transaction of an account itself; amounts are decimal strings of wei."""

    to: str
    gas: str
    maxFeePerGas: str
    maxPriorityFeePerGas: str
    value: str
    data: str
    """The calldata, 0x and hexadecimal digits."""
    paymaster: NotRequired[str]
    paymasterInput: NotRequired[str]


class SentAnswer(SentFields):
    """Execution as a transaction of the account itself, with its sender.

    That of an externally owned account is an EIP-1559 transaction, that of a smart account a ZKsync
    one, possibly with a paymaster.
    """

    type: Literal["transaction"]
    nonce: int
    """The nonce of the account."""
    transactionHash: NotRequired[str]
    """The hash of the transaction; absent until it is signed."""


class ExplanationAnswer(TypedDict):
    """Why the entry point rejected the operation, and what to do about it."""

    cause: str
    solution: str


class ErrorAnswer(TypedDict):
    """Why a transaction failed or was reverted."""

    reason: str
    name: NotRequired[str]
    """The decoded name of the error."""
    explanation: NotRequired[ExplanationAnswer]


class LogAnswer(TypedDict):
    """An event that the transaction emitted."""

    blockNumber: int
    blockHash: str
    transactionIndex: int
    removed: bool
    address: str
    """The contract that emitted the event."""
    data: str
    """The data of the event."""
    topics: list[str]
    transactionHash: str
    logIndex: int
    orphaned: NotRequired[bool]


class ReceiptAnswer(TypedDict):
    """How a transaction ended; amounts are decimal strings of wei."""

    createdAt: int
    transactionHash: NotRequired[str]
    """The hash of the transaction; absent if it was never in a block."""
    blockNumber: NotRequired[int]
    to: NotRequired[str]
    """The address that the transaction calls; of a user operation, the entry point."""
    gasUsed: NotRequired[str]
    gasFee: NotRequired[str]
    l1GasUsed: NotRequired[str]
    l1GasFee: NotRequired[str]
    logs: NotRequired[list[LogAnswer]]
    error: NotRequired[ErrorAnswer]
    """Why it failed or was reverted; absent if it succeeded."""


class TimelineAnswer(TypedDict):
    """A status that was reached, or an event of the bundler's monitor."""

    event: str
    at: int


class NextActionAnswer(TypedDict):
    """What the owner has to do: sign the hash."""

    type: Literal["sign_with_wallet"]
    hash: str


class TransactionAnswer(TypedDict):
    """A transaction, as the specification's Transaction (v2)."""

    id: str
    object: Literal["transaction"]
    createdAt: int
    updatedAt: int
    chainId: int
    status: TransactionStatus
    """Where it is in its lifecycle: `successful`, `reverted` and `failed` are final."""
    accountId: str
    calls: list[CallAnswer]
    walletId: NotRequired[str]
    """The id of the user's wallet, `pla_...`; absent for backend wallets."""
    feeSponsorshipId: NotRequired[str]
    """The id of the fee sponsorship, `pol_...`; absent when the account pays for gas."""
    account: NotRequired[AccountAnswer]
    """The account; only with `expand=account`."""
    feeSponsorship: NotRequired[FeeSponsorshipAnswer]
    """The fee sponsorship; only with `expand=feeSponsorship`."""
    execution: NotRequired[UserOperationAnswer | SentAnswer]
    nextAction: NotRequired[NextActionAnswer]
    receipt: NotRequired[ReceiptAnswer]
    timeline: NotRequired[list[TimelineAnswer]]
    costUsd: NotRequired[str]


def transaction_answer(
    project: Project, row: Transaction, expand: Collection[Expansion] = ()
) -> TransactionAnswer:
    """A transaction as the API shows it."""
    answer: TransactionAnswer = {
        "id": row.id,
        "object": "transaction",
        "createdAt": to_seconds(row.created_ms),
        "updatedAt": to_seconds(row.updated_ms),
        "chainId": row.chain_id,
        "status": row.status,
        "accountId": row.account_id,
        "calls": [cast(CallAnswer, dict(call.requested)) for call in row.calls],
    }
    if row.wallet_id is not None:
        answer["walletId"] = row.wallet_id
    if row.fee_sponsorship_id is not None:
        answer["feeSponsorshipId"] = row.fee_sponsorship_id
    if row.execution is not None:
        answer["execution"] = _execution_answer(row.execution, "userOperation" in expand)
        if row.status == "awaiting_signature":
            digest = row.execution.signing_hash
            answer["nextAction"] = {"type": "sign_with_wallet", "hash": "0x" + digest.hex()}
    if row.receipt is not None:
        answer["receipt"] = receipt_answer(row.receipt, with_logs="logs" in expand)
    if row.cost_usd is not None:
        answer["costUsd"] = row.cost_usd
    if "timeline" in expand:
        answer["timeline"] = [{"event": at.event, "at": to_seconds(at.at_ms)} for at in row.timeline]
    _inline(project, row, expand, answer)
    return answer


def wait_until_settled(
    project: Project, row: Transaction, show: Callable[[Project, Transaction], T], *, wait: bool = True
) -> T:
    """A transaction as `show` shows it, once it is settled if it was sent; at once without `wait`."""
    if not wait or row.status != "sent":
        return show(project, row)
    return cast(T, _wait_until_settled(project, row.id, show))


def _wait_until_settled(
    project: Project, transaction_id: str, show: Callable[[Project, Transaction], T]
) -> Later[T]:
    yield until_settled(project, transaction_id)
    return show(project, find_transaction(project, transaction_id, None))


def until_settled(project: Project, transaction_id: str, most_ms: int | None = None) -> Until:
    """Until a transaction is settled, or a wait of at most so long is over, or the longest for a receipt."""
    limit_ms = project.settings.wait_limit_ms
    if most_ms is not None:
        limit_ms = min(limit_ms, most_ms)
    return Until(
        ready=lambda: is_settled(project, transaction_id),
        due_ms=project.clock.now_ms + limit_ms,
        real_ms=limit_ms,
        row_id=transaction_id,
    )


def _inline(
    project: Project, row: Transaction, expand: Collection[Expansion], answer: TransactionAnswer
) -> None:
    account = project.wallets.accounts.get(row.account_id)
    if "account" in expand and account is not None:
        answer["account"] = account_answer(account)
    if "feeSponsorship" in expand and row.fee_sponsorship_id is not None:
        sponsorship = project.guardrails.fee_sponsorships.get(row.fee_sponsorship_id)
        if sponsorship is not None:
            answer["feeSponsorship"] = fee_sponsorship_answer(sponsorship)


def _execution_answer(execution: Execution, whole: bool) -> UserOperationAnswer | SentAnswer:
    if not isinstance(execution, UserOperationExecution):
        # Those that were sent to a node are in no answer of the API.
        assert not isinstance(execution, RawExecution)
        return plain_transaction_answer(execution)
    version = execution.entry_point_version
    answer: UserOperationAnswer = {
        "type": "userOperation",
        "userOperationHash": "0x" + execution.hash.hex(),
        "entryPoint": ENTRY_POINTS[version],
    }
    if whole:
        answer["userOperation"] = rpc_shape(execution.operation, version)
    return answer


def plain_transaction_answer(execution: PlainExecution | ZkSyncExecution) -> SentAnswer:
    """Execution as a transaction, as the API shows it."""
    transaction = execution.transaction
    answer: SentAnswer = {
        "type": "transaction",
        "from": execution.sender,
        "to": transaction.to or "",
        "nonce": transaction.nonce,
        "gas": str(transaction.gas),
        "maxFeePerGas": str(transaction.max_fee_per_gas),
        "maxPriorityFeePerGas": str(transaction.max_priority_fee_per_gas),
        "value": str(transaction.value),
        "data": "0x" + transaction.data.hex(),
    }
    if isinstance(transaction, ZkSyncTransaction) and transaction.paymaster is not None:
        answer["paymaster"] = transaction.paymaster
        answer["paymasterInput"] = "0x" + transaction.paymaster_input.hex()
    if execution.hash is not None:
        answer["transactionHash"] = "0x" + execution.hash.hex()
    return answer


def receipt_answer(receipt: Receipt, *, with_logs: bool) -> ReceiptAnswer:
    """How a transaction ended, as the API shows it."""
    answer: ReceiptAnswer = {"createdAt": to_seconds(receipt.created_ms)}
    if receipt.transaction_hash is not None and receipt.place is not None:
        answer["transactionHash"] = receipt.transaction_hash
        answer["blockNumber"] = receipt.place.block_number
        answer["to"] = receipt.to or ""
        answer["gasUsed"] = str(receipt.gas_used)
        answer["gasFee"] = str(receipt.gas_fee)
    if with_logs and (receipt.place is not None or receipt.orphaned):
        # First those in blocks that reorganizations replaced.
        logs = [log for each in receipt.orphaned for log in _logs_in(each, orphaned=True)]
        included = () if receipt.included is None else _logs_in(receipt.included, orphaned=False)
        answer["logs"] = [*logs, *included]
    if receipt.l1_gas_used is not None:
        answer["l1GasUsed"] = str(receipt.l1_gas_used)
        answer["l1GasFee"] = str(receipt.l1_gas_fee)
    if receipt.error is not None:
        answer["error"] = _error_answer(receipt.error)
    return answer


def _error_answer(error: TransactionError) -> ErrorAnswer:
    answer: ErrorAnswer = {"reason": error.reason}
    if error.name is not None:
        answer["name"] = error.name
    if error.cause is not None and error.solution is not None:
        answer["explanation"] = {"cause": error.cause, "solution": error.solution}
    return answer


def _logs_in(included: Inclusion, *, orphaned: bool) -> Iterator[LogAnswer]:
    place = included.place
    for index, log in enumerate(included.logs, place.first_log_index):
        answer: LogAnswer = {
            "blockNumber": place.block_number,
            "blockHash": place.block_hash,
            "transactionIndex": place.transaction_index,
            "removed": orphaned,
            "address": log.address,
            "data": log.data,
            "topics": list(log.topics),
            "transactionHash": included.transaction_hash,
            "logIndex": index,
        }
        if orphaned:
            answer["orphaned"] = True
        yield answer
