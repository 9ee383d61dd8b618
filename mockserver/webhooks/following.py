"""From what changed in a project to its deliveries, and from there to what sends them."""

from collections.abc import Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any

from mockserver.domain.chains import ledger
from mockserver.domain.chains.deposits import paymaster_address
from mockserver.domain.transactions.contract_reads import read_contract
from mockserver.errors import ApiError
from mockserver.kernel.table import HEAD, Table
from mockserver.kernel.timers import Timer
from mockserver.kernel.undo import Change
from mockserver.server.edge.app import App
from mockserver.state.outbox import Delivery, Watch
from mockserver.state.project import Project
from mockserver.webhooks import deliveries
from mockserver.webhooks.sending import Sender
from mockserver.webhooks.topics import TOPICS_OF

RowBeforeAfter = tuple[Any, Any]
_DELIVERIES = "webhooks.deliveries"
_TABLES = {name: attrgetter(name) for name in (*TOPICS_OF, _DELIVERIES)}
"""How the tables of a project are found by their names."""


class Webhooks:
    """Follows what becomes permanent in the projects of a server. See `Follower`."""

    def __init__(self, app: App) -> None:
        self._sender = Sender(app)
        self._by_timer: str | None = None
        """The delivery whose timer has just fired."""

    def on_commit(self, project: Project, changes: Sequence[Change]) -> None:
        """Make the deliveries of the changes, and give those that are due to the sender."""
        webhooks = project.webhooks
        for table, rows in _changed_rows(project, changes).items():
            for before, after in rows.values():
                if table == _DELIVERIES:
                    self._follow(project, before, after)
                    continue
                row = before if after is None else after
                for topic in TOPICS_OF[table]:
                    if webhooks.triggers.first("open_topic", topic.name) and topic.covers(before, after):
                        deliveries.announce(project, topic.name, row.id, topic.show(project, row))
        if len(webhooks.watches) and _has_balances(project, changes):
            _look_at_balances(project)

    def on_timer(self, project: Project, timer: Timer) -> tuple[str, str] | None:
        """Send a delivery whose time has come."""
        self._by_timer = timer.row_id
        return deliveries.on_timer(project, timer)

    def _follow(self, project: Project, before: Delivery | None, after: Delivery | None) -> None:
        if after is None:
            return
        by_timer, self._by_timer = self._by_timer == after.id, None
        if after.status in deliveries.LIFECYCLE.terminal:
            self._sender.forget(project, after)
            return
        # A timer that came with a snapshot, a fork or a recording is that of a delivery which was sent there.
        if by_timer and not self._sender.knows(project, after):
            return
        self._sender.know(project, after)
        if after.status == "due":
            self._sender.send(project, after)
        elif after.status == "waiting":
            self._sender.await_timers(project)


def _changed_rows(project: Project, changes: Sequence[Change]) -> Mapping[str, Mapping[str, RowBeforeAfter]]:
    """The rows that topics are about, and deliveries: each once, as before the first change and now."""
    tables = {table_of(project): name for name, table_of in _TABLES.items()}
    found: dict[str, dict[str, RowBeforeAfter]] = {}
    for holder, key, before, after in changes:
        if type(holder) is not Table or key == HEAD or holder not in tables:
            continue
        rows, row_id = found.setdefault(tables[holder], {}), (after or before).id
        first = rows[row_id][0] if row_id in rows else before
        rows[row_id] = (first, after)
    return found


def _has_balances(project: Project, changes: Sequence[Change]) -> bool:
    of_chains = {*vars(project.chains).values(), project.webhooks.watches, project.wallets.developer_accounts}
    return any(type(holder) is Table and holder in of_chains for holder, _, _, _ in changes)


# --- balances that are watched ---------------------------------------------------------------------------


def _look_at_balances(project: Project) -> None:
    """Announce each balance that has fallen below its threshold since it was last looked at."""
    for watch in project.webhooks.watches:
        balance = _balance_of(project, watch)
        is_below = balance is not None and watch.threshold is not None and balance < watch.threshold
        if is_below == watch.is_below:
            continue
        project.webhooks.watches.replace(watch._replace(is_below=is_below))
        if is_below:
            shown = {"id": watch.id, "object": "event", "name": watch.name, "topic": watch.topic}
            amounts = {"threshold": str(watch.threshold), "balance": str(balance)}
            deliveries.announce(project, watch.topic, watch.id, {**shown, **amounts})


def _balance_of(project: Project, watch: Watch) -> int | None:
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
