"""Funding sessions: money from another chain or an exchange (`/v2/funding`)."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import NO_CREDENTIALS, Scheme, any_scheme
from mockserver.api.call import AnyCall, Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Id, Query, Text, Wei
from mockserver.errors import ApiError, wrong_field
from mockserver.funding.chains import asset_by_symbol, chains_of, check_address, read_asset
from mockserver.funding.lifecycle import KIND, LIFECYCLE, LIFETIME_MS, choose, target_of
from mockserver.kernel.secrecy import Secrecy
from mockserver.resources.auth.links import server_url
from mockserver.responses.funding import FundingSessionAnswer, session_answer
from mockserver.state.existence import require
from mockserver.state.funding import FundingSession, MethodKind
from mockserver.state.project import Project

funding = Group("Funding")

CLIENT = any_scheme(Scheme.PUBLISHABLE_KEY)
_SESSIONS = "/v2/funding/sessions"
_INVALID = (errors.INVALID_PARAMETERS,)
_NO_SESSION = (errors.FUNDING_SESSION_NOT_FOUND, errors.FUNDING_SECRET_WRONG)
_LEAST = 5

_SHOWS = "What shows that a client may read and pay the session: its creation answers it."
ClientSecret = Annotated[Text, Secrecy.SECRET, Field(description=_SHOWS)]
Amount = Annotated[str, Field(pattern=r"^[0-9]{1,18}(\.[0-9]{1,18})?$")]
"""An amount of whole coins, tokens or dollars."""


class FundingTarget(Body):
    """Where the money is to arrive."""

    chain: Text
    currency: Text
    address: Text


class FundingSource(Body):
    """From where the money is sent."""

    chain: Text
    currency: Text
    amount: Wei


class PaymentMethod(Body):
    """How the session is to be paid."""

    type: MethodKind
    source: FundingSource
    refundTo: Text | None = None
    """The address for what bounces; nothing is kept of what is sent from outside."""


class CreateFundingSession(Body):
    """A session to create."""

    target: FundingTarget
    amountUnits: Wei | None = None
    metadata: Annotated[dict[Text, Text], Field(max_length=100)] | None = None
    externalId: Id | None = None
    strict: bool = False
    paymentMethod: PaymentMethod | None = None


class SetPaymentMethod(Body):
    """The way to pay a session."""

    clientSecret: ClientSecret
    paymentMethod: PaymentMethod


class CreatePayLink(Body):
    """What an exchange is to send to the target of a session."""

    sessionId: Id
    clientSecret: ClientSecret
    amount: Amount
    """How many whole coins or tokens, such as 12.5."""
    asset: Text = "USDC"


class ShowFundingSession(Query):
    """What shows that the client may see the session."""

    clientSecret: ClientSecret


class ListFundingChains(Query):
    """Main or test networks."""

    livemode: bool = True


class FundingCurrencyAnswer(TypedDict):
    """A currency."""

    symbol: str
    address: str
    """The contract of a token, or the zero address for the native coin."""
    decimals: int
    logo: str | None
    native: bool
    """Whether it is the native coin of the chain."""


class FundingChainAnswer(TypedDict):
    """A chain that money comes from."""

    id: str
    """The chain (CAIP-2)."""
    name: str
    logo: str | None
    vmType: Literal["evm", "svm"]
    currencies: list[FundingCurrencyAnswer]


class FundingChainsAnswer(TypedDict):
    """The chains that money comes from."""

    chains: list[FundingChainAnswer]


class PayLinkAnswer(TypedDict):
    """Where to pay."""

    url: str
    """The page, on this server, that stands for the exchange's."""


@funding.endpoint("GET /v2/funding/chains", "listChains", NO_CREDENTIALS)
def list_chains(call: Call[None, ListFundingChains, Project | None]) -> FundingChainsAnswer:
    """List the chains and currencies that money comes from."""
    found = chains_of(livemode=call.query.livemode).values()
    return {
        "chains": [
            {
                "id": chain.id,
                "name": chain.name,
                "logo": None,
                "vmType": "svm" if chain.kind == "solana" else "evm",
                "currencies": [
                    {
                        "symbol": each.symbol,
                        "address": each.address,
                        "decimals": each.decimals,
                        "logo": None,
                        "native": each.native,
                    }
                    for each in chain.currencies
                ],
            }
            for chain in found
        ]
    }


@funding.endpoint(f"POST {_SESSIONS}", "createFundingSession", CLIENT, status=201, errors=_INVALID)
def create_session(call: Call[CreateFundingSession]) -> FundingSessionAnswer:
    """Create a session; with a known `externalId`, show the one that is there."""
    project, body = call.project, call.body
    if body.externalId is not None:
        known = project.funding.sessions.first("external_id", body.externalId)
        if known is not None:
            return session_answer(project, known)
    target = read_asset(project, body.target.chain, body.target.currency, "target")
    check_address(target.chain, body.target.address, "target.address")
    row = begin(
        call,
        chain=target.chain.id,
        currency=target.currency.address,
        address=body.target.address,
        amount=body.amountUnits,
        metadata=body.metadata,
        external_id=body.externalId,
        strict=body.strict,
    )
    if body.paymentMethod is not None:
        row = _choose(project, row, body.paymentMethod)
    return session_answer(project, row)


def begin(call: Call[Any], **members: Any) -> FundingSession:
    """Store a new session, still without a payment method, which expires unless it is paid."""
    project = call.project
    row = FundingSession(
        id=project.new_id("fnd"),
        created_ms=call.now_ms,
        client_secret=project.entropy.text("funding_secret"),
        status="requires_payment_method",
        expires_ms=call.now_ms + LIFETIME_MS,
        **members,
    )
    project.funding.sessions.insert(row)
    project.timers.set(row.expires_ms, KIND, row.id, "expire")
    return row


@funding.endpoint(
    f"POST {_SESSIONS}/{{id}}/payment_methods",
    "setPaymentMethod",
    CLIENT,
    errors=(*_NO_SESSION, *_INVALID, errors.FUNDING_SESSION_CLOSED),
)
def set_payment_method(call: Call[SetPaymentMethod]) -> FundingSessionAnswer:
    """Choose from where a session is to be paid."""
    row = _require(call, call.path["id"], call.body.clientSecret)
    if (row.status, "choose") not in LIFECYCLE.targets:
        raise ApiError(errors.FUNDING_SESSION_CLOSED, id=row.id, status=row.status)
    return session_answer(call.project, _choose(call.project, row, call.body.paymentMethod))


@funding.endpoint(f"GET {_SESSIONS}/{{id}}", "getFundingSession", CLIENT, errors=_NO_SESSION)
def get_session(call: Call[None, ShowFundingSession]) -> FundingSessionAnswer:
    """Retrieve a session."""
    return session_answer(call.project, _require(call, call.path["id"], call.query.clientSecret))


@funding.endpoint("POST /v2/funding/pay_link", "createPayLink", CLIENT, errors=(*_NO_SESSION, *_INVALID))
def create_pay_link(call: Call[CreatePayLink]) -> PayLinkAnswer:
    """Create the link to an exchange that sends to the target of a session."""
    body = call.body
    row = _require(call, body.sessionId, body.clientSecret, "sessionId")
    if Decimal(body.amount) < _LEAST:
        raise wrong_field("amount", f"must be {_LEAST} or more")
    asset = asset_by_symbol(target_of(call.project, row).chain, body.asset, "asset")
    return {"url": pay_url(call, row, {"amount": body.amount, "asset": asset.currency.symbol})}


def pay_url(call: AnyCall, row: FundingSession, query: Mapping[str, str]) -> str:
    """The URL of the page on which a session is paid."""
    assert call.project is not None
    return f"{server_url(call)}/_mock/projects/{call.project.id}/pay/{row.id}?{urlencode(query)}"


def _choose(project: Project, row: FundingSession, method: PaymentMethod) -> FundingSession:
    place, source = "paymentMethod", method.source
    asset = read_asset(project, source.chain, source.currency, f"{place}.source")
    if asset.chain.kind != method.type:
        raise wrong_field(f"{place}.type", f"must be {asset.chain.kind} for a source on {asset.chain.name}")
    if method.refundTo is not None:
        check_address(asset.chain, method.refundTo, f"{place}.refundTo")
    return choose(project, row, method.type, asset, source.amount)


def _require(call: Call[Any, Any], row_id: str, secret: str, param: str | None = None) -> FundingSession:
    row = require(call.project.funding.sessions, row_id, errors.FUNDING_SESSION_NOT_FOUND, param)
    if row.client_secret != secret:
        raise ApiError(errors.FUNDING_SECRET_WRONG, param="clientSecret")
    return row
