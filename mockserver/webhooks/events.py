"""Events (`/v1/events`): balances that are watched, for the topics `balance.*`."""

from typing import Annotated, Literal, NotRequired, cast

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, ChainId, Id, Name, PageQuery, Text, Wei
from mockserver.domain.chains.networks import CHAIN_ERRORS, require_chain
from mockserver.domain.transactions.contract_reads import read_contract
from mockserver.errors import wrong_field
from mockserver.kernel.clock import to_seconds
from mockserver.responses.lists import Listing, list_rows
from mockserver.responses.shapes import Reference, optional, present
from mockserver.state.existence import require, require_kept
from mockserver.state.outbox import Watch

events = Group("Events (v1)")

_WRITE = secret_key("events:write")
_READ = secret_key("events:read")
_NOT_FOUND = (errors.EVENT_NOT_FOUND,)
_BLOCKS = 5

WatchedTopic = Literal[
    "transaction_intent.successful", "balance.project", "balance.contract", "balance.dev_account"
]

_REQUIRED = {
    "transaction_intent.successful": (),
    "balance.project": ("threshold",),
    "balance.contract": ("threshold", "contract", "functionName"),
    "balance.dev_account": ("threshold", "developerAccount", "chainId"),
}
"""The members that each topic needs."""


class CreateEvent(Body):
    """What to watch; which members are needed depends on the topic."""

    name: Name
    topic: WatchedTopic
    contract: Id | None = None
    functionName: Name | None = None
    functionArgs: Annotated[list[Text], Field(max_length=100)] | None = None
    developerAccount: Id | None = None
    chainId: ChainId | None = None
    threshold: Wei | None = None
    numberOfBlocks: Annotated[int, Field(ge=1, le=10_000)] | None = None


class ListEvents(PageQuery):
    """Filters of the list."""

    name: str | None = None
    deleted: bool = False


class EventAnswer(TypedDict):
    """What is watched."""

    id: str
    object: Literal["event"]
    createdAt: int
    topic: WatchedTopic
    threshold: NotRequired[str]
    contract: NotRequired[Reference]
    functionName: NotRequired[str]
    functionArgs: NotRequired[list[str]]
    developerAccount: NotRequired[Reference]
    chainId: NotRequired[int]
    numberOfBlocks: NotRequired[int]


@events.endpoint("GET /v1/events", "GetEvents", _READ)
def list_events(call: Call[None, ListEvents]) -> Listing[EventAnswer]:
    """List events, newest first. Deleted ones are not kept."""
    return list_rows(call, call.project.webhooks.watches, _answer, where={"name": call.query.name})


@events.endpoint(
    "POST /v1/events",
    "CreateEvent",
    _WRITE,
    status=201,
    errors=(
        errors.CONTRACT_NOT_FOUND,
        errors.DEVELOPER_ACCOUNT_NOT_FOUND,
        errors.FUNCTION_NOT_FOUND,
        *CHAIN_ERRORS,
    ),
)
def create_event(call: Call[CreateEvent]) -> EventAnswer:
    """Watch a balance: subscriptions to its topic are told when it falls below the threshold."""
    project, body = call.project, call.body
    for name in _REQUIRED[body.topic]:
        if getattr(body, name) is None:
            raise wrong_field(name, f"is required for {body.topic}")
    _require_watched(call)
    row = Watch(
        id=project.new_id("eve"),
        created_ms=call.now_ms,
        name=body.name,
        topic=body.topic,
        threshold=None if body.threshold is None else int(body.threshold),
        contract_id=body.contract if body.topic == "balance.contract" else None,
        function_name=body.functionName if body.topic == "balance.contract" else None,
        function_args=tuple(body.functionArgs or ()),
        developer_account_id=body.developerAccount if body.topic == "balance.dev_account" else None,
        chain_id=body.chainId if body.topic == "balance.dev_account" else None,
        blocks=(body.numberOfBlocks or _BLOCKS) if body.topic == "transaction_intent.successful" else None,
    )
    return _answer(project.webhooks.watches.insert(row))


def _require_watched(call: Call[CreateEvent]) -> None:
    """Require what a topic is about: otherwise it would never be told of."""
    project, body = call.project, call.body
    if body.topic == "balance.dev_account":
        accounts = project.wallets.developer_accounts
        require_kept(
            accounts, body.developerAccount or "", errors.DEVELOPER_ACCOUNT_NOT_FOUND, "developerAccount"
        )
        require_chain(project, body.chainId or 0)
    if body.topic == "balance.contract":
        contracts = project.onchain.contracts
        contract = require_kept(contracts, body.contract or "", errors.CONTRACT_NOT_FOUND, "contract")
        read_contract(
            project, contract, body.functionName or "", body.functionArgs or (), call.accept_leniently
        )


@events.endpoint("GET /v1/events/{id}", "GetEvent", _READ, errors=_NOT_FOUND)
def get_event(call: Call) -> EventAnswer:
    """Retrieve an event."""
    return _answer(_require(call))


@events.endpoint(
    "DELETE /v1/events/{id}", "DeleteEvent", secret_key("events:delete"), status=204, errors=_NOT_FOUND
)
def delete_event(call: Call) -> None:
    """Watch a balance no more."""
    call.project.webhooks.watches.remove(_require(call).id)


def _require(call: Call) -> Watch:
    return require(call.project.webhooks.watches, call.path["id"], errors.EVENT_NOT_FOUND)


def _answer(row: Watch) -> EventAnswer:
    answer: EventAnswer = {
        "id": row.id,
        "object": "event",
        "createdAt": to_seconds(row.created_ms),
        "topic": cast(WatchedTopic, row.topic),
        "threshold": optional(None if row.threshold is None else str(row.threshold)),
        "contract": optional(_reference(row.contract_id)),
        "functionName": optional(row.function_name),
        "functionArgs": optional(None if row.contract_id is None else [*row.function_args]),
        "developerAccount": optional(_reference(row.developer_account_id)),
        "chainId": optional(row.chain_id),
        "numberOfBlocks": optional(row.blocks),
    }
    return present(answer)


def _reference(row_id: str | None) -> Reference | None:
    return None if row_id is None else {"id": row_id}
