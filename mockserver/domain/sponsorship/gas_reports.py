"""What a fee sponsorship paid for gas, and was paid back, in a period (specification, Older endpoints)."""

from collections.abc import Iterable, Iterator
from decimal import Decimal, localcontext
from itertools import groupby
from typing import NamedTuple

from mockserver.domain.chains.tokens.holdings import Token, token_settings
from mockserver.domain.sponsorship.months import month_of, month_start_s
from mockserver.state.onchain import Payment, Transaction
from mockserver.state.project import Project

_DIGITS = 400
"""More than the sum of any tokens has, so that nothing is rounded."""

_COIN_DECIMALS = 18


class PaidTransaction(NamedTuple):
    """A transaction whose gas a sponsorship paid."""

    at_s: int
    payment: Payment
    transaction: Transaction


class GasReport(NamedTuple):
    """What was paid in a period, its first and last second included. The id names the period."""

    id: str
    start_s: int
    end_s: int
    transactions: int
    fee_wei: int
    """In the native coins of all chains alike."""
    fee_usd: Decimal
    """By the prices at the time."""
    tokens: Decimal
    """What the accounts paid back, in whole tokens of all kinds."""

    @property
    def average_fee(self) -> Decimal:
        """What a transaction cost on average, in whole coins, to a wei."""
        with localcontext(prec=_DIGITS):
            wei = Decimal(self.fee_wei) / self.transactions
            return wei.to_integral_value().scaleb(-_COIN_DECIMALS)


def monthly_reports(project: Project, sponsorship_id: str) -> list[GasReport]:
    """A report for every calendar month (UTC) in which something was paid, the oldest first."""
    paid = sorted(_find_paid_transactions(project, sponsorship_id), key=lambda each: each.at_s)
    return [
        _report(project, str(month), month_start_s(month), month_start_s(month + 1) - 1, each)
        for month, each in groupby(paid, lambda each: month_of(each.at_s))
    ]


def report_between(project: Project, sponsorship_id: str, start_s: float, end_s: float) -> GasReport | None:
    """What was paid from one second to another, both included; None when it was nothing."""
    paid = [
        each for each in _find_paid_transactions(project, sponsorship_id) if start_s <= each.at_s <= end_s
    ]
    if not paid:
        return None
    return _report(project, "between", paid[0].at_s, paid[-1].at_s, paid)


def decimal_text(value: Decimal) -> str:
    """A number in plain digits, without zeros at its end."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _find_paid_transactions(project: Project, sponsorship_id: str) -> Iterator[PaidTransaction]:
    """What cost the sponsorship gas: what succeeded and what was reverted, but nothing that failed."""
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
