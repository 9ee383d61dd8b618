"""Withdrawals of collected tokens from fee sponsorships (specification, Older endpoints)."""

from mockserver.domain.chains.deposits import paymaster_address
from mockserver.domain.sponsorship import paymasters
from mockserver.domain.sponsorship.sponsor_accounts import collect
from mockserver.domain.transactions import creation
from mockserver.domain.transactions.calls import resolve_calls
from mockserver.domain.transactions.preparation import Prepared
from mockserver.domain.wallets.developer_accounts import as_account
from mockserver.state.guardrails import CollectedTokens
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project
from mockserver.state.wallets import DeveloperAccount


def withdraw_tokens(
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
    paymasters.store_key(project)
    sender = as_account(account)._replace(address=paymaster_address(project), custody="Developer")
    collect(project, held.sponsorship_id, held.chain_id, held.token, -amount)
    prepared = Prepared(sender, held.chain_id, calls, sponsorship_id=held.sponsorship_id)
    return creation.create(project, prepared, purpose="withdraw_tokens")
