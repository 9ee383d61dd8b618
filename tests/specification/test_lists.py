"""Lists: the envelope, pages, order and filters."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from mockserver.kernel.table import Table
from tests.specification.checks import Check, carry_out, each_operation
from tests.specification.lines import Operation, operations
from tests.specification.sending import Heard, send, set_stage
from tests.specification.setting import the_stage


def list_checks() -> Iterator[Check]:
    """The checks of each list, and of its filters."""
    for operation in operations():
        if operation.form != "list":
            continue
        for name, check in ENVELOPE.items():
            yield Check(operation, f"list.{name}", partial(check, operation))
        if any(member.path == "skip" for member in operation.query):
            for name, check in PAGING.items():
                yield Check(operation, f"list.{name}", partial(check, operation))
        if operation.page is not None:
            yield Check(operation, f"list.page: {operation.page}", partial(shows_a_page, operation))
        for name, (kept, dropped) in operation.filters.items():
            yield Check(operation, f"filter.{name}", partial(filters, operation, name, kept, dropped))


def listed(operation: Operation, query: Mapping[str, Any] = MappingProxyType({})) -> Heard:
    """A list, by no more of the query than it needs."""
    needed = {
        member.path: operation.examples[0][member.path] for member in operation.query if member.required
    }
    heard = send(operation, {**needed, **query})
    assert heard.succeeded, heard
    return heard


def has_an_envelope(operation: Operation) -> None:
    body = listed(operation).body
    assert body["object"] == "list"
    assert set(body) == {"object", "url", "data", "start", "end", "total"}


def says_its_path(operation: Operation) -> None:
    path = operation.path
    for name, value in operation.at.items():
        path = path.replace(f"{{{name}}}", str(the_stage().names[value[1:]]))
    assert listed(operation).body["url"] == path


def counts_its_rows(operation: Operation) -> None:
    body = listed(operation).body
    assert body["start"] == 0
    assert body["total"] == len(body["data"]) == body["end"]


def goes_page_by_page(operation: Operation) -> None:
    whole = listed(operation).body["data"]
    assert whole
    rows = []
    for skip in range(len(whole)):
        page = listed(operation, {"limit": 1, "skip": skip}).body
        assert (page["start"], page["end"], page["total"]) == (skip, skip + 1, len(whole))
        rows += page["data"]
    assert rows == whole


def is_ordered(operation: Operation) -> None:
    newest, oldest = (listed(operation, {"order": order}).body["data"] for order in ("desc", "asc"))
    assert newest == oldest[::-1]
    assert listed(operation).body["data"] == newest
    times = [row["createdAt"] for row in newest if "createdAt" in row]
    assert times == sorted(times, reverse=True)


def begins_after_the_end(operation: Operation) -> None:
    assert listed(operation, {"skip": 1000}).body["data"] == []


def refuses(operation: Operation, name: str, value: object) -> None:
    needed = {
        member.path: operation.examples[0][member.path] for member in operation.query if member.required
    }
    heard = send(operation, {**needed, name: value})
    assert heard.names(name), heard


def takes_any_limit(operation: Operation) -> None:
    listed(operation, {"limit": 2**31 - 1})


def shows_a_page(operation: Operation) -> None:
    crowd()
    body = listed(operation).body
    assert body["total"] > (operation.page or 0)
    assert len(body["data"]) == operation.page == body["end"]


def crowd() -> None:
    """A hundred more rows like each row that lists show."""
    project = the_stage().project
    tables: tuple[Table[Any], ...] = (
        project.identity.users,
        project.wallets.wallets,
        project.wallets.accounts,
        project.wallets.developer_accounts,
        project.onchain.contracts,
        project.onchain.transactions,
        project.guardrails.policies,
        project.guardrails.fee_sponsorships,
        project.guardrails.gas_rules,
        project.session_keys.rows,
    )
    for table in tables:
        for row in list(table):
            for number in range(100):
                table.insert(row._replace(id=f"{row.id}-{number}"))
    project.undo.mark()


def filters(operation: Operation, name: str, kept: Any, dropped: Any) -> None:
    everything = listed(operation).body["data"]
    rows = listed(operation, {name: kept}).body["data"]
    assert rows
    assert all(row in everything for row in rows)
    set_stage(operation)
    fewer = listed(operation, {name: dropped}).body["data"]
    assert len(fewer) < len(everything)
    assert not [row for row in fewer if row in rows]


ListCheck = Callable[[Operation], None]
ENVELOPE: dict[str, ListCheck] = {
    "envelope": has_an_envelope,
    "url": says_its_path,
    "start, end and total": counts_its_rows,
}
PAGING: dict[str, ListCheck] = {
    "pages": goes_page_by_page,
    "order": is_ordered,
    "beyond the end": begins_after_the_end,
    "limit: 1 or more": partial(refuses, name="limit", value=0),
    "limit: no upper bound": takes_any_limit,
    "skip: 0 or more": partial(refuses, name="skip", value=-1),
    "order: no other": partial(refuses, name="order", value="newest"),
}


@each_operation(list_checks())
def test_a_list_is_as_specified(checks: list[Check]) -> None:
    carry_out(checks)
