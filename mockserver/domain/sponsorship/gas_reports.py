"""Reports of the gas that a fee sponsorship paid in a period (specification, Older endpoints)."""

from collections.abc import Iterable, Iterator
from decimal import Decimal, localcontext
from itertools import groupby
from typing import NamedTuple

from mockserver.domain.chains.tokens.holdings import Token, token_settings
from mockserver.domain.sponsorship.months import month_of, month_start_s
from mockserver.state.onchain import Payment, Transaction
from mockserver.state.project import Project

_DIGITS = 400
"""Decimal digits: more than any sum of tokens has, so that nothing is rounded."""

_COIN_DECIMALS = 18


class PaidTransaction(NamedTuple):
    """A transaction whose gas a sponsorship paid."""

    at_s: int
    payment: Payment
    transaction: Transaction


class GasReport(NamedTuple):
    """The payments in a period, its first and last second included. The id is the period."""

    id: str
    start_s: int
    end_s: int
    transactions: int
    fee_wei: int
    """Summed over the native coins of all chains."""
    fee_usd: Decimal
    """By the prices when the transactions were mined."""
    tokens: Decimal
    """The reimbursement by accounts, in whole tokens, summed over all tokens."""

    @property
    def average_fee(self) -> Decimal:
        """The average fee of a transaction in whole coins, with a precision of a wei."""
        with localcontext(prec=_DIGITS):
            wei = Decimal(self.fee_wei) / self.transactions
            return wei.to_integral_value().scaleb(-_COIN_DECIMALS)


def monthly_reports(project: Project, sponsorship_id: str) -> list[GasReport]:
    """A report for every calendar month (UTC) with a payment, oldest first."""
    paid = sorted(_find_paid_transactions(project, sponsorship_id), key=lambda each: each.at_s)
    return [
        _report(project, str(month), month_start_s(month), month_start_s(month + 1) - 1, each)
        for month, each in groupby(paid, lambda each: month_of(each.at_s))
    ]


def report_between(project: Project, sponsorship_id: str, start_s: float, end_s: float) -> GasReport | None:
    """The report from one second to another, both included; None without payments."""
    paid = [
        each for each in _find_paid_transactions(project, sponsorship_id) if start_s <= each.at_s <= end_s
    ]
    if not paid:
        return None
    return _report(project, "between", paid[0].at_s, paid[-1].at_s, paid)


def decimal_text(value: Decimal) -> str:
    """A decimal number without exponent or trailing zeros."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _find_paid_transactions(project: Project, sponsorship_id: str) -> Iterator[PaidTransaction]:
    """The mined transactions, successful or reverted, whose gas the sponsorship paid."""
    for row in project.onchain.transactions.find("fee_sponsorship_id", sponsorship_id):
        payment = row.receipt.payment if row.receipt else None
        if row.receipt is not None and payment is not None and payment.sponsorship_id == sponsorship_id:
            yield PaidTransaction(row.receipt.created_ms // 1000, payment, row)


def _report(
    project: Project, name: str, start_s: int, end_s: int, paid: Iterable[PaidTransaction]
) -> GasReport:
    count, fee_wei, fee_usd, tokens = 0, 0, Decimal(0), Decimal(0)
    with localcontext(prec=_DIGITS):
        for _, payment, row in paid:
            count += 1
            fee_wei += payment.wei
            fee_usd += Decimal(row.cost_usd or 0)
            if payment.token is not None:
                decimals = token_settings(Token(project, row.chain_id, payment.token)).decimals
                tokens += Decimal(payment.token_amount).scaleb(-decimals)
    return GasReport(name, start_s, end_s, count, fee_wei, fee_usd, tokens)
