"""The control API of funding sessions: a payment, and the page on which a browser makes one."""

from html import escape
from typing import Literal

from mockserver import errors
from mockserver.api.call import Reply
from mockserver.api.wire import Query, Text, Wei
from mockserver.errors import ApiError
from mockserver.funding.chains import asset_by_symbol, to_units
from mockserver.funding.lifecycle import can_be_paid, due, pay, source_of, target_of
from mockserver.funding.sessions import Amount, pay_url
from mockserver.responses.funding import FundingSessionAnswer, session_answer
from mockserver.responses.pages import form_headers
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.control.bodies import ControlBody, invalid, require_row
from mockserver.server.control.groups import ControlGroup
from mockserver.state.funding import FundingSession
from mockserver.state.project import Project

funding = ControlGroup("Funding")
pages = ControlGroup("Payment pages")

_HEADERS = form_headers(style_src="'unsafe-inline'", form_action="*")


class PayFundingSession(ControlBody):
    """A payment from outside, which arrives as late as a transaction."""

    amount: Wei | None = None
    """How much of the source's currency, in its smallest unit; what is due unless given."""
    bounces: bool = False
    """Whether it is sent back. So is too little, and what is late for a `strict` session."""


class PayPageQuery(Query):
    """What an exchange or a provider is asked to send."""

    asset: Text = "USDC"
    amount: Text = ""
    """How many whole coins or tokens."""


class PayOnPage(ControlBody):
    """The form."""

    amount: Amount
    """How many whole coins or tokens are sent."""
    decision: Literal["pay", "bounce"] = "pay"


@funding.operation(
    "POST /funding/sessions/{id}/pay",
    "PayFundingSession",
    errors.CONTROL_UNKNOWN_ROW,
    errors.CONTROL_INVALID,
    errors.INVALID_PARAMETERS,
    errors.CONTROL_NOT_PAYABLE,
)
def pay_session(call: ControlCall[PayFundingSession]) -> FundingSessionAnswer:
    """Pay a session as its payment method says: in full, too little, late, or to bounce."""
    project, body, row = call.project, call.body, _require(call.project, call.path["id"])
    source = source_of(project, row)
    amount = due(project, row, source) if body.amount is None else int(body.amount)
    if amount is None:
        raise invalid("amount", f"is needed: {row.id} has neither a payment method nor an amount")
    return session_answer(project, pay(project, row, source, amount, bounces=body.bounces))


@pages.operation(
    "GET /pay/{id}", "ShowPayPage", errors.CONTROL_UNKNOWN_ROW, writes=("text/html",), is_open=True
)
def show_page(call: ControlCall[None, PayPageQuery]) -> Reply:
    """Show the page of an exchange or a provider, as HTML, to which links to pay lead."""
    row = require_row(call.project.funding.sessions, call.path["id"], "funding session")
    return _page(row, call.query.asset, call.query.amount)


@pages.operation(
    "POST /pay/{id}",
    "PayOnPage",
    errors.CONTROL_UNKNOWN_ROW,
    errors.INVALID_PARAMETERS,
    errors.CONTROL_NOT_PAYABLE,
    status=302,
    is_open=True,
)
def pay_on_page(call: ControlCall[PayOnPage, PayPageQuery]) -> Reply:
    """Answer the page, as a form or JSON: pay or bounce; redirects to the `redirectUrl` or the page."""
    project, row = call.project, _require(call.project, call.path["id"])
    asset = asset_by_symbol(target_of(project, row).chain, call.query.asset, "asset")
    amount = to_units(call.body.amount, asset)
    row = pay(project, row, asset, amount, bounces=call.body.decision == "bounce")
    location = row.redirect_url or pay_url(call, row, {"asset": asset.currency.symbol})
    return Reply(status=302, headers=(("location", location), ("cache-control", "no-store")))


def _require(project: Project, row_id: str) -> FundingSession:
    row = require_row(project.funding.sessions, row_id, "funding session")
    if not can_be_paid(row):
        raise ApiError(errors.CONTROL_NOT_PAYABLE, id=row.id, status=row.status)
    return row


def _page(row: FundingSession, asset: str, amount: str) -> Reply:
    form = f"""<form method="post">
<label>Amount in {escape(asset)} <input name="amount" value="{escape(amount)}"></label>
<button name="decision" value="pay">Pay</button>
<button name="decision" value="bounce">Let it bounce</button>
</form>"""
    page = f"""<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Pay</title>
<style>body {{ font: 16px/1.5 system-ui, sans-serif; margin: 3em auto; max-width: 30em }}</style></head>
<body>
<h1>Pay {escape(row.address)}</h1>
<p>Status: {row.status}</p>
{form if can_be_paid(row) else ""}
<p><small>No money is moved, and nothing leaves this server.</small></p>
</body>
</html>
"""
    return Reply(page.encode(), headers=_HEADERS)
