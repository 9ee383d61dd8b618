"""Collected tokens of gas policies, and their withdrawal (specification, Older endpoints)."""

from typing_extensions import TypedDict

from mockserver import errors
from mockserver.api.access import secret_key
from mockserver.api.call import Call
from mockserver.api.endpoint import Group
from mockserver.api.wire import Body, Id, Wei
from mockserver.domain.chains.deposits import paymaster_address, paymaster_secret
from mockserver.domain.sponsorship.fee_sponsorships import find_any_sponsorship
from mockserver.domain.sponsorship.sponsor_accounts import collect, next_withdrawal, token_in_strategy
from mockserver.domain.transactions import creation
from mockserver.domain.transactions.calls import resolve_calls
from mockserver.domain.transactions.preparation import Prepared
from mockserver.domain.wallets.developer_accounts import as_account, find_developer_account
from mockserver.domain.wallets.keys import custody
from mockserver.errors import wrong_field
from mockserver.responses.transaction_intents import IntentAnswer, intent_answer
from mockserver.responses.transactions import wait_until_settled
from mockserver.state.guardrails import CollectedTokens, FeeSponsorship
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project
from mockserver.state.wallets import DeveloperAccount

gas_withdrawals = Group("Gas policies (v1)")


class WithdrawTokens(Body):
    """The receiver (`dac_`), and the amount in the smallest unit of the token."""

    account: Id
    amount: Wei


class BalanceAnswer(TypedDict):
    """The collected balance of a policy, in the smallest unit of the token, and the token."""

    policy: str
    balance: str
    """What can be withdrawn."""
    contract: str


@gas_withdrawals.endpoint(
    "GET /v1/policies/{id}/withdraw",
    "GetGasPolicyBalanceLegacy",
    secret_key("fee_sponsorship:read"),
    errors=(errors.FEE_SPONSORSHIP_NOT_FOUND, errors.INVALID_PARAMETERS),
)
def get_balance(call: Call) -> BalanceAnswer:
    """Retrieve the collected token balance of a gas policy."""
    project = call.project
    row = find_any_sponsorship(project, call.path["id"])
    held = _require_collected(project, row)
    return {"policy": row.id, "balance": str(held.amount), "contract": token_in_strategy(project, row, held)}


@gas_withdrawals.endpoint(
    "POST /v1/policies/{id}/withdraw",
    "CreateGasPolicyWithdrawalLegacy",
    secret_key("fee_sponsorship:write"),
    errors=(errors.FEE_SPONSORSHIP_NOT_FOUND, errors.DEVELOPER_ACCOUNT_NOT_FOUND),
    transacts=True,
)
def withdraw(call: Call[WithdrawTokens]) -> IntentAnswer:
    """Withdraw collected tokens of a gas policy to a developer account; the paymaster pays for the gas."""
    project, amount = call.project, int(call.body.amount)
    if not amount:
        raise wrong_field("amount", "must be more than nothing")
    held = _require_collected(project, find_any_sponsorship(project, call.path["id"]))
    account = find_developer_account(project, call.body.account, "account")
    if amount > held.amount:
        raise wrong_field("amount", f"is more than the {held.amount} that the policy holds")
    row = _withdraw_tokens(project, held, account, amount)
    return wait_until_settled(project, row, intent_answer)


def _withdraw_tokens(
    project: Project, held: CollectedTokens, account: DeveloperAccount, amount: int
) -> Transaction:
    """Transfer collected tokens from the project's paymaster to a developer account.

    The paymaster sends the transaction, which is listed under the developer account. The amount is
    subtracted at once, and added back if the transaction does not succeed.
    """
    transfer = {
        "to": held.token,
        "functionName": "transfer(address,uint256)",
        "functionArgs": [account.address, str(amount)],
    }
    calls = resolve_calls(project, held.chain_id, [transfer])
    custody.store_key(project, paymaster_secret(project), "EVM")
    sender = as_account(account)._replace(address=paymaster_address(project), custody="Developer")
    collect(project, held.sponsorship_id, held.chain_id, held.token, -amount)
    prepared = Prepared(sender, held.chain_id, calls, sponsorship_id=held.sponsorship_id)
    return creation.create(project, prepared, purpose="withdraw_tokens")


def _require_collected(project: Project, row: FeeSponsorship) -> CollectedTokens:
    """The collected balance of a policy. ApiError with 400 when it collects no tokens."""
    held = next_withdrawal(project, row)
    if held is None:
        raise wrong_field("id", f"the policy {row.id} collects no tokens")
    return held
