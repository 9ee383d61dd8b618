"""The on-ramp: coins and tokens for money of a card or a bank (`/v1/onramp`)."""

from decimal import Decimal, localcontext
from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Text
from mockserver.errors import wrong_field
from mockserver.funding.chains import EXACT, Asset, asset_by_symbol, chains_of, check_address, price, to_units
from mockserver.funding.sessions import CLIENT, Amount, ClientSecret, begin, pay_url
from mockserver.responses.shapes import optional, present
from mockserver.state.project import Project

onramp = Group("Onramp")

Provider = Literal["coinbase", "stripe"]
_FEES: dict[Provider, Decimal] = {"coinbase": Decimal("0.01"), "stripe": Decimal("0.015")}
_INVALID = (errors.INVALID_PARAMETERS,)
_CENT = Decimal("0.01")


class _Purchase(Body):
    destinationCurrency: Text
    destinationNetwork: Text
    country: Text | None = None
    subdivision: Text | None = None
    paymentMethod: Text | None = None


class CreateOnrampSession(_Purchase):
    """A purchase to begin."""

    provider: Provider
    destinationAddress: Text
    sourceAmount: Amount | None = None
    sourceCurrency: Text = "USD"
    redirectUrl: Text | None = None
    clientIp: Text | None = None


class GetOnrampQuote(_Purchase):
    """What a purchase is asked for."""

    sourceCurrency: Text
    sourceAmount: Amount
    provider: Provider | None = None


class OnrampFeeAnswer(TypedDict):
    """A fee."""

    type: str
    amount: str
    """How much of the currency, such as 1.25."""
    currency: str


class OnrampSessionQuoteAnswer(TypedDict):
    """What a purchase brings."""

    sourceAmount: str
    sourceCurrency: str
    destinationAmount: str
    destinationCurrency: str
    destinationNetwork: str
    fees: list[OnrampFeeAnswer]
    exchangeRate: str
    """What a whole coin or token costs, in the source's currency."""


class OnrampQuoteAnswer(OnrampSessionQuoteAnswer):
    """What a purchase brings from a provider."""

    provider: Provider


class OnrampSessionAnswer(TypedDict):
    """A purchase that was begun."""

    provider: Provider
    onrampUrl: str
    """The page, on this server, that stands for the provider's."""
    sessionId: str
    clientSecret: ClientSecret
    status: str
    redirectUrl: NotRequired[str]
    quote: NotRequired[OnrampSessionQuoteAnswer]


@onramp.endpoint("POST /v1/onramp/sessions", "createOnrampSession", CLIENT, errors=_INVALID)
def create_session(call: Call[CreateOnrampSession]) -> OnrampSessionAnswer:
    """Begin a purchase, as a funding session that is paid on the provider's page."""
    project, body = call.project, call.body
    asset = _asset(project, body)
    check_address(asset.chain, body.destinationAddress, "destinationAddress")
    quote, query = None, {"asset": asset.currency.symbol}
    amount = None
    if body.sourceAmount is not None:
        quote = _quote(project, body, asset, body.provider)
        query["amount"] = quote["destinationAmount"]
        amount = str(to_units(query["amount"], asset))
    row = begin(
        call,
        chain=asset.chain.id,
        currency=asset.currency.address,
        address=body.destinationAddress,
        amount=amount,
        redirect_url=body.redirectUrl,
    )
    answer: OnrampSessionAnswer = {
        "provider": body.provider,
        "onrampUrl": pay_url(call, row, query),
        "sessionId": row.id,
        "clientSecret": row.client_secret,
        "status": row.status,
        "redirectUrl": optional(body.redirectUrl),
        "quote": optional(quote),
    }
    return present(answer)


@onramp.endpoint("POST /v1/onramp/quotes", "getOnrampQuote", CLIENT, errors=_INVALID)
def get_quote(call: Call[GetOnrampQuote]) -> OnrampQuoteAnswer | list[OnrampQuoteAnswer]:
    """Quote a purchase: from one provider if it is named, or from all."""
    body, asset = call.body, _asset(call.project, call.body)
    found: list[OnrampQuoteAnswer] = [
        {"provider": provider, **_quote(call.project, body, asset, provider)}
        for provider in ([body.provider] if body.provider else _FEES)
    ]
    return found[0] if body.provider else found


def _asset(project: Project, body: _Purchase) -> Asset:
    chains = {chain.network: chain for chain in chains_of(livemode=project.livemode).values()}
    chain = chains.get(body.destinationNetwork.lower())
    if chain is None:
        raise wrong_field("destinationNetwork", f"must be one of {', '.join(chains)}")
    return asset_by_symbol(chain, body.destinationCurrency, "destinationCurrency")


def _quote(project: Project, body: Any, asset: Asset, provider: Provider) -> OnrampSessionQuoteAnswer:
    """A share of the money is the fee; a unit of every currency of money is worth a dollar."""
    rate, amount = price(project, asset), Decimal(body.sourceAmount)
    with localcontext(EXACT):
        fee = (amount * _FEES[provider]).quantize(_CENT)
        bought = ((amount - fee) / rate).quantize(Decimal(1).scaleb(-asset.currency.decimals))
    return {
        "sourceAmount": body.sourceAmount,
        "sourceCurrency": body.sourceCurrency,
        "destinationAmount": f"{bought:f}",
        "destinationCurrency": body.destinationCurrency,
        "destinationNetwork": body.destinationNetwork,
        "fees": [{"type": "provider", "amount": f"{fee:f}", "currency": body.sourceCurrency}],
        "exchangeRate": f"{rate:f}",
    }
