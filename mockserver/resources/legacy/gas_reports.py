"""Reports of what gas policies paid, by month or by period (specification, Older endpoints)."""

from typing import Annotated

from pydantic import Field
from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import PageQuery, Query
from mockserver.domain.sponsorship.fee_sponsorships import find_any_sponsorship
from mockserver.domain.sponsorship.gas_reports import GasReport, decimal_text, monthly_reports, report_between
from mockserver.errors import wrong_field
from mockserver.kernel.table import Page
from mockserver.responses.lists import SHORT_LIMIT, Listing, listing, page_limit

gas_reports = Group("Gas policies (v1)")

_READ = secret_key("fee_sponsorship:read")
_NOT_FOUND = (errors.FEE_SPONSORSHIP_NOT_FOUND,)


_FIRST = "The first second of the report, since 1970."
_LAST = "The last second of the report, since 1970."


class ReportPeriod(Query):
    """The first and the last second, as Unix times."""

    start: Annotated[float, Field(alias="from", ge=0, allow_inf_nan=False, description=_FIRST)]
    end: Annotated[float, Field(alias="to", ge=0, allow_inf_nan=False, description=_LAST)]


class PaidIntentsAnswer(TypedDict):
    """The fees of transactions in wei, and in US dollars at the time, and their number."""

    totalTransactionFee: str
    totalTransactionFeeInUSD: str
    transactionCount: int


class PeriodAnswer(TypedDict):
    """The first and the last second of a period."""

    start: int
    """The first second, since 1970."""
    end: int
    """The last second, since 1970."""


class GasReportAnswer(TypedDict):
    """A month. The average fee is in whole native coins, the reimbursement in whole tokens."""

    period: PeriodAnswer
    averageTransactionFee: str
    totalTransactionFeeInCustomTokens: str
    totalTransactionFeeInUSD: str
    transactionIntents: list[PaidIntentsAnswer]
    """The sums of the transactions of the period."""


@gas_reports.endpoint(
    "GET /v1/policies/{id}/reports", "GetGasPolicyTotalGasUsageLegacy", _READ, errors=_NOT_FOUND
)
def list_reports(call: Call[None, PageQuery]) -> Listing[GasReportAnswer]:
    """List what a gas policy paid in each calendar month (UTC), newest first, without empty months."""
    query = call.query
    policy = find_any_sponsorship(call.project, call.path["id"])
    reports = monthly_reports(call.project, policy.id)
    if query.order == "desc":
        reports.reverse()
    shown = reports[query.skip : query.skip + page_limit(query, SHORT_LIMIT)]
    return listing(call, Page(shown, len(reports)), _report_answer, SHORT_LIMIT)


@gas_reports.endpoint(
    "GET /v1/policies/{id}/reports/transaction_intents",
    "GetGasPolicyReportTransactionIntentsLegacy",
    _READ,
    errors=_NOT_FOUND,
)
def report_transaction_intents(call: Call[None, ReportPeriod]) -> Listing[PaidIntentsAnswer]:
    """Report what a gas policy paid in a period: one row, or none without payments."""
    query = call.query
    if query.start > query.end:
        raise wrong_field("from", "must not be later than to")
    policy = find_any_sponsorship(call.project, call.path["id"])
    report = report_between(call.project, policy.id, query.start, query.end)
    rows = [] if report is None else [_paid_intents_answer(report)]
    return {
        "object": "list",
        "url": call.request.path,
        "data": rows,
        "start": 0,
        "end": len(rows),
        "total": len(rows),
    }


def _report_answer(report: GasReport) -> GasReportAnswer:
    return {
        "period": {"start": report.start_s, "end": report.end_s},
        "averageTransactionFee": decimal_text(report.average_fee),
        "totalTransactionFeeInCustomTokens": decimal_text(report.tokens),
        "totalTransactionFeeInUSD": decimal_text(report.fee_usd),
        "transactionIntents": [_paid_intents_answer(report)],
    }


def _paid_intents_answer(report: GasReport) -> PaidIntentsAnswer:
    return {
        "totalTransactionFee": str(report.fee_wei),
        "totalTransactionFeeInUSD": decimal_text(report.fee_usd),
        "transactionCount": report.transactions,
    }
