"""Rows as data, and the bytes that digests are made of."""

import json

import pytest
from httpx import Client

from mockserver.kernel.timers import Timer
from mockserver.state.history.changes import Changes, RowChange, merge_changes
from mockserver.state.identity import User
from mockserver.state.project import Project
from mockserver.state.saved.row_data import as_data, changed_members
from tests.accounts import account_of
from tests.operations.transactions.helpers import create

ADA = User("usr_1", 0, 0, "Ada")
BOB = ADA._replace(name="Bob")
TIMER = Timer(5, 0, "transaction", "tin_1", "mine")


def changes(*rows: RowChange, set_: tuple[Timer, ...] = (), removed: tuple[Timer, ...] = ()) -> Changes:
    """Changes of rows and timers."""
    return Changes(rows, set_, removed)


def test_values_are_shown_as_json_has_them() -> None:
    value = ADA._replace(name="Ada", email=None), b"\x01", frozenset({"b", "a"}), 2**60, -(2**53), {1: 2.5}
    shown = as_data(value)
    assert shown[0]["name"] == "Ada"
    assert shown[1:] == ["0x01", ["a", "b"], str(2**60), -(2**53), {"1": 2.5}]


def test_what_is_no_data_is_refused() -> None:
    with pytest.raises(TypeError, match="object is no data"):
        as_data((object(),))


def test_every_row_of_a_busy_project_can_be_shown(api: Client, project: Project) -> None:
    account = account_of(project, "plain")
    for _ in range(2):
        create(api, account)
    api.post("/iam/v2/auth/sign-up/email", json={"name": "A", "email": "a@b.de", "password": "correct horse"})
    found = [as_data(row) for name, table in project.named_tables() if name != "scenarios" for row in table]
    assert len(found) > 5
    json.dumps(found, allow_nan=False)


def test_of_a_changed_row_the_members_that_differ_are_told() -> None:
    assert changed_members(ADA, BOB) == ({"name": "Ada"}, {"name": "Bob"})
    assert changed_members(None, BOB) == (None, as_data(BOB))
    assert changed_members(ADA, None) == (as_data(ADA), None)


def test_the_parts_of_a_call_that_waited_are_one() -> None:
    created, changed = RowChange("users", "1", None, ADA, 0), RowChange("users", "1", ADA, BOB, 0)
    removed = RowChange("users", "1", BOB, None, 0)
    assert merge_changes([changes(created)]).rows == (created,)
    both = merge_changes([changes(created), changes(changed)])
    assert both.rows == (RowChange("users", "1", None, BOB, 0),)
    assert merge_changes([changes(created), changes(changed), changes(removed)]).rows == ()


def test_a_timer_removed_by_the_second_part_was_not_its() -> None:
    parts = [changes(set_=(TIMER,)), changes(removed=(TIMER,))]
    assert not any(merge_changes(parts))
    other = changes(set_=(TIMER._replace(number=2),))
    assert [timer.number for timer in merge_changes([*parts[:1], other]).timers_set] == [0, 2]
