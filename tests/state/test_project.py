"""A project is a value: a snapshot is all of it, and restoring one makes it what it was."""

import gc
import sys
from dataclasses import replace

import pytest

from mockserver import errors
from mockserver.api.access import NO_CREDENTIALS
from mockserver.api.call import Call, Request
from mockserver.api.endpoint import Group, Routes
from mockserver.errors import ApiError
from mockserver.kernel.table import Table
from mockserver.scenario.running.index import RuleIndex
from mockserver.server.answering.pipeline import Pipeline
from mockserver.server.answering.render import Response
from mockserver.state.history.changes import HeadBefore
from mockserver.state.identity import User
from mockserver.state.outbox import Message
from mockserver.state.project import Project
from mockserver.state.requests import LoadedScenario
from mockserver.state.world import EPOCH_MS, World
from tests.tables import cases


def fill(project: Project) -> None:
    """Change everything that a project has."""
    project.identity.users.insert(User(project.new_id("usr"), 1, 1, "Ada", "ada@example.com"))
    project.outbox.insert(Message("m", 1, "email", "ada@example.com", "otp", "123456"))
    project.scenarios.insert(LoadedScenario("s", "s", "s.yaml", "", {}, 0, (), RuleIndex(())))
    project.timers.set(EPOCH_MS + 10**9, "transaction", "tin_1", "confirm")
    project.clock.move_to(project.clock.now_ms + 1_000)
    project.settings = replace(project.settings, password_min_length=20)
    project.scenario_state = "paid"
    project.undo.mark()


def held(project: Project) -> tuple[object, ...]:
    """All that a project holds, as values that can be compared."""
    state = project.snapshot()
    return tuple(tuple(table) for table in project.tables), state[1:]


def test_a_row_that_came_and_went_is_told_by_its_tables_head(project: Project) -> None:
    project.record("control")
    before = project.outbox.head
    project.outbox.insert(Message("m", 1, "email", "ada@example.com", "otp", "123456"))
    project.outbox.remove("m")
    project.commit()
    project.record("call")
    (event,) = project.history.since(project.history.last_number - 1)
    changes = project.changes_of(event)
    assert (changes.rows, changes.heads) == ((), (("outbox", HeadBefore(before.next_number)),))
    project.record("call")
    assert project.history.last_number == event.number, "nothing has changed since"


def test_a_project_that_is_put_away_holds_on_to_no_row(project: Project) -> None:
    row = project.identity.users.insert(User(project.new_id("usr"), 1, 1, "Ada", "ada@example.com"))
    project.commit()
    project.record("call")
    project.take_snapshot("before")
    project.put_away()
    gc.collect()
    assert sys.getrefcount(row) <= 2, "one is this variable, one the argument, which Python 3.14 borrows"
    project.take_out()
    assert list(project.identity.users) == [row]


def test_a_restored_project_is_what_it_was_any_number_of_times(project: Project) -> None:
    fill(project)
    before, state = held(project), project.snapshot()
    followers = []
    for _ in range(2):
        followers.append(project.new_id("usr"))
        project.identity.users.remove(next(iter(project.identity.users)).id)
        project.timers.cancel("transaction", "tin_1")
        project.clock.move_to(project.clock.now_ms + 5)
        project.scenario_state = "lost"
        project.restore(state)
        assert held(project) == before
    assert followers[0] == followers[1]


def test_restoring_forgets_what_a_call_had_begun(project: Project) -> None:
    state = project.snapshot()
    project.identity.users.insert(User("usr_1", 1, 1, "Ada"))
    project.restore(state)
    project.undo.roll_back()
    assert len(project.identity.users) == 0


def test_a_project_that_is_reset_is_as_new(project: Project) -> None:
    new = held(World().create(name="tests"))
    fill(project)
    project.snapshots["mine"] = project.snapshot()
    project.reset()
    assert held(project) == new
    assert project.snapshots == {}


def test_the_history_before_a_reset_takes_no_place_in_the_world(world: World) -> None:
    project = world.create(name="tests")
    fill(project)
    project.record("control")
    assert world.histories.bytes > 0
    project.reset()
    assert world.histories.bytes == 0


def test_every_table_is_part_of_a_snapshot(project: Project) -> None:
    held = vars(project).values()
    members = [member for group in held for member in getattr(group, "__dict__", {}).values()]
    found = [member for member in (*held, *members) if isinstance(member, Table)]
    tables = project.tables
    assert len(found) > 15
    assert {id(table) for table in found} == {id(table) for table in tables}
    assert all(isinstance(table, Table) for table in tables)
    assert len({id(table) for table in tables}) == len(tables) == len(project.snapshot().tables)


def test_ids_name_their_kind_and_do_not_disturb_others(project: Project) -> None:
    alone = World().create(name="tests")
    project.new_id("acc")
    assert project.new_id("usr") == alone.new_id("usr")
    assert alone.new_id("usr").startswith("usr_")


@cases("livemode", False, True)
def test_a_project_knows_its_pair_of_keys(livemode: bool) -> None:
    world = World()
    project = world.create(name="shop", livemode=livemode)
    assert world.key(project.secret_key).kind == "sk"
    assert world.key(project.publishable_key).project is project


def test_a_refused_request_leaves_no_trace_in_later_ids(world: World, project: Project) -> None:
    group = Group("Tests")

    @group.endpoint(
        "POST /v2/refused",
        "BeRefused",
        NO_CREDENTIALS,
        errors=(errors.USER_NOT_FOUND,),
        project_of=lambda *_: project,
    )
    def be_refused(call: Call) -> dict[str, str]:
        """Do a lot, and then refuse."""
        user = call.project.identity.users.insert(User(call.project.new_id("usr"), 1, 1, "Ada"))
        call.project.timers.cancel("transaction", "tin_1")
        call.project.timers.set(EPOCH_MS, "transaction", user.id, "confirm")
        raise ApiError(errors.USER_NOT_FOUND, id=user.id)

    fill(project)
    before = held(project)
    pipeline = Pipeline(world, Routes(list(group)), pytest.fail)
    answers = [pipeline.answer(Request("POST", "/v2/refused", "", {})) for _ in range(2)]
    assert held(project) == before
    assert isinstance(answers[0], Response)
    assert answers[0].status == 404
    # The id it would have had is still to come, and so each refusal names the same.
    assert answers[0] == answers[1]
    assert project.new_id("usr").encode() in answers[0].body


def test_a_failure_half_way_uses_up_no_chance(project: Project) -> None:
    project.new_id("usr")
    project.undo.mark()
    draws = project.entropy.draws()
    expected = project.new_id("usr")
    project.new_id("acc")
    project.undo.roll_back()
    assert project.entropy.draws() == draws
    assert project.new_id("usr") == expected
