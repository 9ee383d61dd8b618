"""Balances that are watched: which they are, and when one has fallen below its threshold."""

from collections.abc import Iterator

from mockserver.domain.chains import ledger
from mockserver.domain.chains.deposits import paymaster_address
from mockserver.domain.transactions.contract_reads import read_contract
from mockserver.errors import ApiError
from mockserver.state.outbox import Watch
from mockserver.state.project import Project
from mockserver.webhooks.deliveries import announce


def look_at_balances(project: Project) -> None:
    """Announce each balance that has fallen below its threshold since it was last looked at."""
    for watch in project.webhooks.watches:
        balance = balance_of(project, watch)
        is_below = balance is not None and watch.threshold is not None and balance < watch.threshold
        if is_below == watch.is_below:
            continue
        project.webhooks.watches.replace(watch._replace(is_below=is_below))
        if is_below:
            shown = {"id": watch.id, "object": "event", "name": watch.name, "topic": watch.topic}
            amounts = {"threshold": str(watch.threshold), "balance": str(balance)}
            announce(project, watch.topic, watch.id, {**shown, **amounts})


def balance_of(project: Project, watch: Watch) -> int | None:
    """The balance in wei, or what the contract answers; None where there is none, or no number."""
    if watch.topic == "balance.project":
        return min(_deposits(project), default=project.settings.sponsor_deposit_wei)
    if watch.topic == "balance.dev_account":
        developer = project.wallets.developer_accounts.get(watch.developer_account_id)
        if developer is None or watch.chain_id is None:
            return None
        return ledger.chain_account(project, watch.chain_id, developer.address).balance
    contract = project.onchain.contracts.get(watch.contract_id)
    if contract is None:
        return None
    try:
        value = read_contract(project, contract, watch.function_name or "", watch.function_args, _accept)
    except ApiError:
        return None
    return int(value) if isinstance(value, (int, str)) and str(value).isdecimal() else None


def _deposits(project: Project) -> Iterator[int]:
    """What the project's paymaster has on each chain on which it has paid."""
    address = paymaster_address(project).lower()
    for row in project.chains.accounts:
        if row.id.partition(":")[2] == address:
            yield row.balance


def _accept(*_: object) -> None:
    """What the API accepts leniently was accepted when the watch was made."""
