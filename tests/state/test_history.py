"""Going back in the log of changes leads to exactly the state that a call left, whatever calls do."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mockserver.state.history import Unreachable, rewind
from mockserver.state.outbox import Message
from mockserver.state.project import Project, ProjectState
from mockserver.state.world import World

KEPT = 3
"""How many messages are not dropped."""

NAMES = st.sampled_from(["a", "b", "c"])
CALLS = st.lists(
    st.tuples(
        st.lists(
            st.tuples(
                st.sampled_from(
                    [
                        "insert",
                        "replace",
                        "remove",
                        "spend",
                        "destroy",
                        "try",
                        "set",
                        "cancel",
                        "fire",
                        "draw",
                    ]
                ),
                NAMES,
            ),
            max_size=8,
        ),
        st.sampled_from(
            ["commit", "commit", "commit", "roll back", "snapshot", "restore", "restore first", "put away"]
        ),
    ),
    max_size=12,
)


def new_project() -> Project:
    """A project alone, which keeps few messages."""
    project = World().create(name="alone")
    project.settings = replace(project.settings, messages_kept=KEPT)
    project.begin_history()
    return project


def message(name: str, text: str = "") -> Message:
    """A message with an id."""
    return Message(name, 0, "email", "ada@example.com", "otp", text)


def replace_row(project: Project, name: str, write: Callable[[Message], Any]) -> None:
    """Write a message anew with another text, if there is one with this id."""
    row = project.outbox.get(name)
    if row is not None:
        write(row._replace(text=row.text + "x"))


def try_and_undo(project: Project, name: str) -> None:
    """Change much, some of it for good, and take the rest back, as a part of a call may."""
    before = project.undo.savepoint()
    act(project, "insert", name)
    act(project, "spend", name)
    act(project, "insert", "tried")
    project.timers.set(9, "kind", name, "event")
    project.undo.roll_back_to(before)


def act(project: Project, kind: str, name: str) -> None:
    """Do one of the things that a call does."""
    outbox, timers = project.outbox, project.timers
    if kind == "insert" and name not in outbox:
        outbox.insert(message(name))
    elif kind == "replace":
        replace_row(project, name, outbox.replace)
    elif kind == "spend":
        replace_row(project, name, outbox.spend)
    elif kind == "remove" and name in outbox:
        outbox.remove(name)
    elif kind == "destroy" and name in outbox:
        outbox.destroy(name)
    elif kind == "try":
        try_and_undo(project, name)
    elif kind == "set":
        timers.set(ord(name), "kind", name, "event")
    elif kind == "cancel":
        timers.cancel("kind", name)
    elif kind == "fire":
        timers.pop_due(ord(name))
    elif kind == "draw":
        # The id of a row that no other step knows: such rows make the oldest be dropped.
        outbox.insert(message(project.entropy.text(name, 8)))


def end(project: Project, how: str, snapshots: list[ProjectState]) -> None:
    """End a call."""
    if how == "roll back":
        project.roll_back()
    else:
        project.commit()
    project.log_changes("call")
    if how == "snapshot":
        snapshots.append(project.snapshot())
    elif how.startswith("restore"):
        project.restore(snapshots[0 if how == "restore first" else -1], 0)
        project.log_changes("control")
    elif how == "put away":
        project.put_away()
        project.take_out()


def content(state: ProjectState) -> tuple[object, ...]:
    """All that a state is, as values that can be compared."""
    tables = [([*table.numbered()], table.next_number, table.dropped) for table in state.tables]
    return tables, state.timers, {name: count for name, count in state.draws.items() if count}


@example(
    [
        ([("insert", "a")], "snapshot"),
        ([], "restore first"),
        ([("insert", "b")], "commit"),
        ([], "restore"),
    ]
)
@example([([("insert", "a"), ("remove", "a"), ("try", "a")], "roll back")])
@example([([("insert", "a")], "commit"), ([("remove", "a"), ("try", "a")], "roll back")])
@example([([("try", "a"), ("draw", "a"), ("insert", "b"), ("spend", "b")], "roll back")])
@given(CALLS)
def test_the_state_after_each_call_is_reached_from_the_last(calls: list[tuple[list[Any], str]]) -> None:
    project = new_project()
    snapshots = [project.snapshot()]
    left = [(project.moment(), content(project.snapshot()))]
    for steps, how in calls:
        for kind, name in steps:
            act(project, kind, name)
        end(project, how, snapshots)
        left.append((project.moment(), content(project.snapshot())))
    for moment, expected in left:
        assert content(rewind(project, moment)) == expected


def test_rows_that_were_dropped_come_back_with_their_count() -> None:
    project = new_project()
    moments = []
    for number in range(KEPT + 2):
        project.outbox.insert(message(f"m{number}"))
        project.commit()
        project.log_changes("call")
        moments.append(project.moment())
    assert [row.id for row in project.outbox] == ["m2", "m3", "m4"]
    assert project.outbox.dropped == 2
    then = rewind(project, moments[KEPT - 1])
    outbox = dict(zip((name for name, _ in project.named_tables()), then.tables, strict=True))["outbox"]
    assert ([row.id for _, row in outbox.numbered()], outbox.next_number, outbox.dropped) == (
        ["m0", "m1", "m2"],
        3,
        0,
    )


def test_what_is_spent_in_a_part_of_a_call_that_is_taken_back_is_a_change_of_the_call() -> None:
    project = new_project()
    project.outbox.insert(message("code"))
    project.commit()
    project.log_changes("call")
    before = project.undo.savepoint()
    replace_row(project, "code", project.outbox.spend)
    project.outbox.insert(message("undone"))
    project.undo.roll_back_to(before)
    project.commit()
    entry = project.log_changes("call")
    assert entry is not None
    (change,) = entry.changes.read().rows
    assert (change.id, change.before, change.after) == ("code", message("code"), message("code", "x"))


def test_a_moment_that_the_log_does_not_hold_is_not_reached() -> None:
    project = new_project()
    moment = project.moment()
    project.outbox.insert(message("m"))
    project.commit()
    project.log_changes("call")
    project.change_log.clear()
    with pytest.raises(Unreachable, match="does not reach back to it any more"):
        rewind(project, moment)
    with pytest.raises(Unreachable, match="made while a scenario was loaded"):
        rewind(project, None)
