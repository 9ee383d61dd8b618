"""Transactions in the older vocabulary: intents (specification, Transaction intent (v1))."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal, NotRequired, cast

from typing_extensions import TypedDict

from mockserver.chain.networks import NETWORKS
from mockserver.chain.user_operations import rpc_shape
from mockserver.domain.wallets.accounts import implementation_of
from mockserver.kernel.clock import to_seconds
from mockserver.responses.developer_accounts import DeveloperAccountAnswer, developer_account_answer
from mockserver.responses.gas_policies import GasPolicyAnswer, gas_policy_answer
from mockserver.responses.players import (
    LATEST,
    OlderAccountAnswer,
    PlayerAnswer,
    older_account_answer,
    player_answer,
)
from mockserver.responses.shapes import Reference
from mockserver.responses.transactions import (
    ReceiptAnswer,
    SentFields,
    plain_transaction_answer,
    receipt_answer,
)
from mockserver.state.chains import PlainExecution, RawExecution, UserOperationExecution, ZkSyncExecution
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project

Expansion = Literal["policy", "player", "account"]

AbstractionType = Literal[
    "accountAbstractionV6", "accountAbstractionV8", "accountAbstractionV9", "zkSync", "standard"
]

Status = Literal[
    "none", "new", "sent", "indexed", "confirmed", "reverted", "dropped", "replaced", "notfound", "expired"
]

_ABSTRACTIONS: Mapping[str, AbstractionType] = {
    "0.6": "accountAbstractionV6",
    "0.7": "accountAbstractionV8",
    "0.8": "accountAbstractionV8",
    "0.9": "accountAbstractionV9",
}


class TransitionAnswer(TypedDict):
    """A state transition of an intent."""

    fromStatus: Status
    toStatus: Status
    at: int


class OperationDetails(TypedDict):
    """The user operation of an intent and its hash."""

    userOperationHash: str
    userOperation: dict[str, str]


class TransactionDetails(SentFields):
    """A transaction that an account sends itself, with its sender; the nonce is a decimal string."""

    nonce: str
    """The nonce of the account."""


class IntentResponse(ReceiptAnswer):
    """How an intent ended: 1 when it succeeded, 0 when it did not."""

    status: Literal[0, 1]
    """1 if it succeeded, 0 if it did not."""


class InteractionAnswer(TypedDict):
    """A call of an intent, with ids resolved to addresses."""

    to: NotRequired[str]
    value: NotRequired[str]
    contract: NotRequired[str]
    functionName: NotRequired[str]
    functionArgs: NotRequired[list[Any]]
    dataSuffix: NotRequired[str]
    data: NotRequired[str]
    """The calldata, 0x and hexadecimal digits."""


class PayloadAnswer(TypedDict):
    """The hash to sign and, for user operations, the operation."""

    signableHash: str
    userOp: NotRequired[dict[str, str]]
    userOpHash: NotRequired[str]
    userOperation: NotRequired[dict[str, str]]
    userOperationHash: NotRequired[str]


class IntentActionAnswer(TypedDict):
    """What the owner has to do."""

    type: Literal["sign_with_wallet"]
    payload: PayloadAnswer


class IntentAnswer(TypedDict):
    """A transaction, as the specification's Transaction intent (v1)."""

    id: str
    object: Literal["transactionIntent"]
    createdAt: int
    updatedAt: int
    chainId: int
    abstractionType: AbstractionType
    transitions: NotRequired[list[TransitionAnswer]]
    details: NotRequired[OperationDetails | TransactionDetails]
    """What is signed and sent; its form depends on `abstractionType`."""
    userOperationHash: NotRequired[str]
    userOperation: NotRequired[dict[str, str]]
    response: NotRequired[IntentResponse]
    finalCost: NotRequired[str]
    interactions: list[InteractionAnswer]
    nextAction: NotRequired[IntentActionAnswer]
    policy: NotRequired[GasPolicyAnswer | Reference]
    """The fee sponsorship, `pol_...`; absent when the account pays for gas."""
    player: NotRequired[PlayerAnswer | Reference]
    """The player, `pla_...`; absent for accounts of the developer."""
    account: OlderAccountAnswer | DeveloperAccountAnswer | Reference


def intent_answer(project: Project, row: Transaction, expand: Collection[Expansion] = ()) -> IntentAnswer:
    """A transaction as the older API shows it."""
    answer: IntentAnswer = {
        "id": row.id,
        "object": "transactionIntent",
        "createdAt": to_seconds(row.created_ms),
        "updatedAt": to_seconds(row.updated_ms),
        "chainId": row.chain_id,
        "abstractionType": _abstraction(project, row),
        "interactions": [_interaction(call.requested) for call in row.calls],
        "account": {"id": row.account_id},
    }
    transitions = list(_transitions(row))
    if transitions:
        answer["transitions"] = transitions
    _add_execution(row, answer)
    if row.receipt is not None:
        # The receipt as the newer API shows it, with logs.
        shown = receipt_answer(row.receipt, with_logs=True)
        answer["response"] = {**shown, "status": 1 if row.status == "successful" else 0}
    if row.cost_usd is not None:
        answer["finalCost"] = row.cost_usd
    _add_related(project, row, expand, answer)
    return answer


def latest_intent_answers(project: Project, index: str, value: str) -> list[IntentAnswer]:
    """The latest transactions with a value in an index, newest first, whole."""
    rows = project.onchain.transactions.page(limit=LATEST, where={index: value}).rows
    return [intent_answer(project, row) for row in rows]


def next_action(row: Transaction) -> IntentActionAnswer | None:
    """The hash that the owner has to sign, while the transaction awaits a signature."""
    execution = row.execution
    if row.status != "awaiting_signature" or execution is None:
        return None
    payload: PayloadAnswer = {"signableHash": "0x" + execution.signing_hash.hex()}
    if isinstance(execution, UserOperationExecution):
        operation = rpc_shape(execution.operation, execution.entry_point_version)
        hashed = "0x" + execution.hash.hex()
        payload |= {
            "userOp": operation,
            "userOpHash": hashed,
            "userOperation": operation,
            "userOperationHash": hashed,
        }
    return {"type": "sign_with_wallet", "payload": payload}


def _abstraction(project: Project, row: Transaction) -> AbstractionType:
    """The kind of execution, also of a transaction that could not be built."""
    match row.execution:
        case UserOperationExecution(entry_point_version=version):
            return _ABSTRACTIONS[version]
        case PlainExecution():
            return "standard"
        case ZkSyncExecution():
            return "zkSync"
    account = project.wallets.accounts.get(row.account_id)
    if account is None or account.smart_account is None:
        return "standard"
    if NETWORKS[row.chain_id].native_accounts:
        return "zkSync"
    return _ABSTRACTIONS[implementation_of(account).entry_point_version]


def _transitions(row: Transaction) -> Iterator[TransitionAnswer]:
    """The timeline in the older vocabulary; empty until the transaction is signed."""
    source: Status = "none"
    reached: set[Status] = set()
    for target, at_ms in _steps(row):
        if target == "sent" and source in ("confirmed", "reverted"):
            # A reorganization took its block back.
            reached.clear()
        if target not in reached:
            yield {"fromStatus": source, "toStatus": target, "at": to_seconds(at_ms)}
            reached.add(target)
            source = target


def _steps(row: Transaction) -> Iterator[tuple[Status, int]]:
    events = [at for at in row.timeline if at.event != "awaiting_signature"]
    if not any(at.event == "sent" for at in events):
        return
    for number, at in enumerate(events):
        ends = (each.event for each in events[number:] if each.event in ("successful", "reverted"))
        reverted = next(ends, None) == "reverted"
        match at.event:
            case "new" | "replaced" | "dropped" | "expired" | "indexed" as known:
                yield cast(Status, known), at.at_ms
            case "sent":
                yield "new", at.at_ms
                yield "sent", at.at_ms
            case "confirmed" | "successful" if not reverted:
                # Only user operations are monitored; of a plain transaction only its inclusion is known.
                yield "indexed", at.at_ms
                yield "confirmed", at.at_ms
            case "reverted":
                yield "indexed", at.at_ms
                yield "reverted", at.at_ms
            case "failed" if not any(at.event == "expired" for at in events):
                yield "dropped", at.at_ms


def _add_execution(row: Transaction, answer: IntentAnswer) -> None:
    execution = row.execution
    if execution is None:
        return
    if isinstance(execution, UserOperationExecution):
        operation = rpc_shape(execution.operation, execution.entry_point_version)
        hashed = "0x" + execution.hash.hex()
        answer["details"] = {"userOperationHash": hashed, "userOperation": operation}
        answer["userOperationHash"] = hashed
        answer["userOperation"] = operation
    else:
        # Those that were sent to a node are in no answer of the API.
        assert not isinstance(execution, RawExecution)
        sent = {**plain_transaction_answer(execution), "nonce": str(execution.transaction.nonce)}
        kept = {name: value for name, value in sent.items() if name not in ("type", "transactionHash")}
        answer["details"] = cast(TransactionDetails, kept)
        if isinstance(execution, ZkSyncExecution):
            # The reference implementation shows the signed hash under this name, also for other transactions.
            answer["userOperationHash"] = "0x" + execution.signing_hash.hex()
    todo = next_action(row)
    if todo is not None:
        answer["nextAction"] = todo


def _interaction(requested: Mapping[str, Any]) -> InteractionAnswer:
    renamed = {"contract" if name == "contractId" else name: value for name, value in requested.items()}
    return cast(InteractionAnswer, renamed)


def _add_related(
    project: Project, row: Transaction, expand: Collection[Expansion], answer: IntentAnswer
) -> None:
    account = project.wallets.accounts.get(row.account_id)
    developer = project.wallets.developer_accounts.get(row.account_id)
    if "account" in expand and account is not None and not account.disabled:
        answer["account"] = older_account_answer(project, account, row.chain_id)
    if "account" in expand and developer is not None:
        answer["account"] = developer_account_answer(project, developer)
    if row.wallet_id is not None:
        answer["player"] = {"id": row.wallet_id}
        if "player" in expand and row.wallet_id in project.wallets.wallets:
            answer["player"] = player_answer(project, row.wallet_id)
    if row.fee_sponsorship_id is not None:
        sponsorship = project.guardrails.fee_sponsorships.get(row.fee_sponsorship_id)
        answer["policy"] = {"id": row.fee_sponsorship_id}
        if "policy" in expand and sponsorship is not None and sponsorship.is_known_to_older_api:
            answer["policy"] = gas_policy_answer(project, sponsorship)
