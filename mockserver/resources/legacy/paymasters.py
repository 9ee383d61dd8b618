"""The developer's own paymasters, which fee sponsorships reference (`/v1/paymasters`)."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Address, Body, Name, PageQuery, Text
from mockserver.chain.addresses import to_checksum
from mockserver.kernel.clock import to_seconds
from mockserver.responses.lists import list_rows
from mockserver.responses.shapes import optional, present
from mockserver.state.existence import require
from mockserver.state.guardrails import Paymaster

paymasters = Group("Paymasters")

_READ = secret_key("fee_sponsorship:read")
_WRITE = secret_key("fee_sponsorship:write")
_NOT_FOUND = (errors.PAYMASTER_NOT_FOUND,)


class WritePaymaster(Body):
    """The address and URL of a paymaster. Its `name` is checked, but no answer shows it."""

    address: Address
    url: Text | None = None
    """The URL of the paymaster service."""
    context: Annotated[dict[str, Any], Field(max_length=100)] | None = None
    name: Name | None = None


class PaymasterAnswer(TypedDict):
    """A paymaster."""

    id: str
    object: Literal["paymaster"]
    createdAt: int
    address: str
    url: NotRequired[str]
    """The URL of the paymaster service."""
    context: NotRequired[Mapping[str, Any]]


@paymasters.endpoint("GET /v1/paymasters", "ListPaymasters", _READ)
def list_paymasters(call: Call[None, PageQuery]) -> list[PaymasterAnswer]:
    """List paymasters, newest first; without the envelope that other lists have."""
    return list_rows(call, call.project.guardrails.paymasters, _paymaster)["data"]


@paymasters.endpoint("POST /v1/paymasters", "CreatePaymaster", _WRITE, status=201)
def create_paymaster(call: Call[WritePaymaster]) -> PaymasterAnswer:
    """Register a paymaster."""
    body = call.body
    row = call.project.guardrails.paymasters.insert(
        Paymaster(
            id=call.project.new_id("pay"),
            created_ms=call.now_ms,
            address=to_checksum(body.address),
            url=body.url,
            context=body.context,
        )
    )
    return _paymaster(row)


@paymasters.endpoint("GET /v1/paymasters/{id}", "GetPaymaster", _READ, errors=_NOT_FOUND)
def get_paymaster(call: Call) -> PaymasterAnswer:
    """Retrieve a paymaster."""
    return _paymaster(_require(call))


@paymasters.endpoint("POST /v1/paymasters/{id}", "UpdatePaymaster", _WRITE, status=201, errors=_NOT_FOUND)
def update_paymaster(call: Call[WritePaymaster]) -> PaymasterAnswer:
    """Change a paymaster; missing members are unchanged."""
    body, row = call.body, _require(call)
    changed = row._replace(
        address=to_checksum(body.address),
        url=row.url if body.url is None else body.url,
        context=row.context if body.context is None else body.context,
    )
    return _paymaster(call.project.guardrails.paymasters.replace(changed))


@paymasters.endpoint(
    "DELETE /v1/paymasters/{id}",
    "DeletePaymaster",
    secret_key("fee_sponsorship:delete"),
    status=204,
    errors=_NOT_FOUND,
)
def delete_paymaster(call: Call) -> None:
    """Delete a paymaster. Fee sponsorships keep their references to it."""
    call.project.guardrails.paymasters.remove(_require(call).id)


def _require(call: Call[Any]) -> Paymaster:
    return require(call.project.guardrails.paymasters, call.path["id"], errors.PAYMASTER_NOT_FOUND)


def _paymaster(row: Paymaster) -> PaymasterAnswer:
    answer: PaymasterAnswer = {
        "id": row.id,
        "object": "paymaster",
        "createdAt": to_seconds(row.created_ms),
        "address": row.address,
        "url": optional(row.url),
        "context": optional(row.context),
    }
    return present(answer)
