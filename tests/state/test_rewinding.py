"""Undoing events leads to exactly the state that a call left, whatever calls do."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st

from mockserver.state.history.event import Event
from mockserver.state.outbox import Message
from mockserver.state.project import Project, ProjectState
from mockserver.state.saved.rewinding import rewind
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
    project.timers.set(0, "kind", "first", "event")
    project.commit()
    project.record("control")
    return project


def latest(project: Project) -> Event:
    """The last event."""
    event = project.history.get(project.history.last_number)
    assert event is not None
    return event


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
    project.record("call")
    if how == "snapshot":
        snapshots.append(project.snapshot())
    elif how.startswith("restore"):
        project.restore(snapshots[0 if how == "restore first" else -1])
        project.record("control")
    elif how == "put away":
        project.put_away()
        project.take_out()


def content(state: ProjectState) -> tuple[object, ...]:
    """All that a state is, as values that can be compared."""
    tables = [([*table.numbered()], table.next_number, table.dropped) for table in state.tables]
    return tables, state.timers, {name: count for name, count in state.draws.items() if count}


@example(
    [([("insert", "a")], "snapshot"), ([], "restore first"), ([("insert", "b")], "commit"), ([], "restore")]
)
@example([([("insert", "a"), ("remove", "a"), ("try", "a")], "roll back")])
@example([([("insert", "a")], "commit"), ([("remove", "a"), ("try", "a")], "roll back")])
@example([([("try", "a"), ("draw", "a"), ("insert", "b"), ("spend", "b")], "roll back")])
@given(CALLS)
def test_the_state_after_each_call_is_reached_from_the_last(calls: list[tuple[list[Any], str]]) -> None:
    project = new_project()
    snapshots = [project.snapshot()]
    left = [(latest(project), content(project.snapshot()))]
    for steps, how in calls:
        for kind, name in steps:
            act(project, kind, name)
        end(project, how, snapshots)
        left.append((latest(project), content(project.snapshot())))
    for event, expected in left:
        assert content(rewind(project, event)) == expected


def test_rows_that_were_dropped_come_back_with_their_count() -> None:
    project = new_project()
    events = []
    for number in range(KEPT + 2):
        project.outbox.insert(message(f"m{number}"))
        project.commit()
        project.record("call")
        events.append(latest(project))
    assert [row.id for row in project.outbox] == ["m2", "m3", "m4"]
    assert project.outbox.dropped == 2
    then = rewind(project, events[KEPT - 1])
    outbox = dict(zip((name for name, _ in project.named_tables()), then.tables, strict=True))["outbox"]
    assert ([row.id for _, row in outbox.numbered()], outbox.next_number, outbox.dropped) == (
        ["m0", "m1", "m2"],
        3,
        0,
    )


def test_what_a_taken_back_part_spent_is_a_change_of_the_call() -> None:
    project = new_project()
    project.outbox.insert(message("code"))
    project.commit()
    project.record("call")
    before = project.undo.savepoint()
    replace_row(project, "code", project.outbox.spend)
    project.outbox.insert(message("undone"))
    project.undo.roll_back_to(before)
    project.commit()
    project.record("call")
    (change,) = project.changes_of(latest(project)).rows
    assert (change.id, change.before, change.after) == ("code", message("code"), message("code", "x"))


def test_settings_and_circumstances_are_those_of_then() -> None:
    project = new_project()
    project.change_settings(replace(project.settings, password_min_length=20))
    project.scenario_state = "paid"
    project.clock.move_to(project.clock.now_ms + 1_000)
    project.commit()
    project.record("control")
    then = latest(project)
    project.change_settings(replace(project.settings, password_min_length=30))
    project.scenario_state = "shipped"
    project.commit()
    project.record("control")
    state = rewind(project, then)
    assert (state.settings.password_min_length, state.circumstances) == (20, then.after)


def test_settings_that_a_refused_call_changed_are_as_they_were() -> None:
    project = new_project()
    before = project.settings
    project.change_settings(replace(before, password_min_length=20))
    project.roll_back()
    assert project.settings is before


def test_what_settings_take_counts_as_a_change() -> None:
    project = World().create(name="alone")
    long = tuple(f"https://{number}.example.com" for number in range(1_000))
    for settings in (replace(project.settings, trusted_origins=long), project.settings):
        project.change_settings(settings)
        project.commit()
        project.record("control")
    small, large = (project.changes_of(event).size for event in project.history)
    assert large - small > sum(map(len, long))
