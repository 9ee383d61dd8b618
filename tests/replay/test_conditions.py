"""What is to stay true of a run: how it is written, and which exchange it is pinned to."""

from typing import Any

import pytest

from mockserver.replay.shrinking.conditions import (
    AnswersWith,
    BadCondition,
    Differs,
    NotShown,
    code_of,
    find_condition,
)
from mockserver.replay.shrinking.links import Link, LinkTable
from mockserver.replay.shrinking.places import ValuePlace
from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedAnswer, Step
from tests.replay.invented_runs import answer, get, post, run_of
from tests.tables import cases


def error(status: int, code: str) -> RecordedAnswer:
    """An error of the API."""
    return answer(status, f'{{"error": {{"code": "{code}"}}}}')


RUN = run_of(
    (post("{}"), error(409, "taken")),
    (get(), answer(200)),
    (post("{}"), error(400, "invalid")),
    (get("/v1/none"), error(404, "taken")),
    (get(), None),
    (
        post("{}"),
        answer(body='{"status": "reverted", "receipt": {"error": {"reason": "at last"}, "status": 0}}'),
    ),
)


def found(text: str | None, run: Run = RUN, **now: RecordedAnswer) -> AnswersWith | Differs:
    """The condition of a text; `n3` is what the third exchange is answered with now."""
    answers = run.answers() | {int(name[1:]): given for name, given in now.items()}
    return find_condition(text, run, answers, LinkTable())


LAST = AnswersWith(4, None, 404, "taken")
INVALID = AnswersWith(3, "CreateContract", 400, "invalid")
TAKEN = AnswersWith(1, "CreateContract", 409, "taken")
REVERTED = AnswersWith(6, "CreateContract", 200, None, ("/status", "reverted"))


@cases(
    "text, condition",
    (None, LAST),
    ("status 409 at CreateContract", TAKEN),
    ("code taken at CreateContract", TAKEN),
    ("status 400 code invalid at CreateContract", INVALID),
    ("code taken at exchange 4", LAST),
    ("code taken at exchange 1", TAKEN),
    ("status 200 at exchange 2", AnswersWith(2, "GetContracts", 200, None)),
    ("status 200 at GetContracts", AnswersWith(2, "GetContracts", 200, None)),
    ("/status reverted at CreateContract", REVERTED),
    ("status 200 /status reverted at exchange 6", REVERTED),
    ("/receipt/status 0 at exchange 6", REVERTED._replace(member=("/receipt/status", "0"))),
    (
        "/receipt/error/reason at last at CreateContract",
        REVERTED._replace(member=("/receipt/error/reason", "at last")),
    ),
)
def test_a_condition_is_of_the_last_exchange_to_meet_it(text: str | None, condition: AnswersWith) -> None:
    assert found(text) == condition


@cases("status, is_error", (399, False), (400, True))
def test_without_a_condition_an_error_begins_at_400(status: int, is_error: bool) -> None:
    run = run_of((get(), error(status, "a")))
    if is_error:
        assert found(None, run) == AnswersWith(1, "GetContracts", status, "a")
    else:
        with pytest.raises(NotShown, match=r"is an error; .* --while '/status reverted at"):
            found(None, run)


def test_this_versions_answers_count_not_the_recorded_ones() -> None:
    assert found(None, n2=error(500, "new"), n4=answer(200)) == INVALID
    assert found("status 500 at GetContracts", n2=error(500, "new")).number == 2


@cases(
    "text, said",
    ("status 409 at GetContracts", "no answer of the run meets 'status 409 at GetContracts'"),
    ("status 409 code invalid at CreateContract", "no answer of the run meets"),
    ("code other at CreateContract", "no answer of the run meets"),
    ("code taken at exchange 2", "no answer of the run meets"),
    ("/status sent at CreateContract", "no answer of the run meets"),
    ("status 200 at exchange 5", "no answer of the run meets"),
    ("exchange 2 differs", "exchange 2 does not differ"),
    ("exchange 5 differs", "there is no exchange 5 with an answer"),
    ("exchange 7 differs", "there is no exchange 7 with an answer"),
)
def test_what_no_exchange_shows_is_said(text: str, said: str) -> None:
    with pytest.raises(NotShown, match=said):
        found(text)


def test_an_exchange_answered_no_more_does_not_differ() -> None:
    with pytest.raises(NotShown, match="there is no exchange 1 with an answer"):
        find_condition("exchange 1 differs", RUN, {}, LinkTable())
    with pytest.raises(NotShown, match="there is no exchange 5 with an answer"):
        found("exchange 5 differs", n5=answer())
    alone = RUN._replace(steps=(Step(7, resume=True, answer=answer()),))
    with pytest.raises(NotShown, match="there is no exchange 7 with an answer"):
        found("exchange 7 differs", alone)


@cases(
    "text",
    "",
    "at CreateContract",
    "status 40 at exchange 1",
    "status 409",
    "exchange 0 differs",
    "code  at a",
)
def test_other_texts_are_no_conditions(text: str) -> None:
    with pytest.raises(BadCondition, match="is no condition: "):
        found(text)


@cases(
    "condition, words",
    (TAKEN, "status 409 code taken at CreateContract (exchange 1)"),
    (LAST._replace(code=None), "status 404 at an unknown path (exchange 4)"),
    (REVERTED, "status 200 /status reverted at CreateContract (exchange 6)"),
)
def test_a_condition_says_what_it_is_pinned_to(condition: AnswersWith, words: str) -> None:
    assert str(condition) == words


@cases(
    "request_, now, holds",
    (post("{}"), error(409, "taken"), True),
    (post("{}"), error(409, "other"), False),
    (post("{}"), error(400, "taken"), False),
    (get(), error(409, "taken"), False),
)
def test_an_error_keeps_operation_status_and_code(request_: Any, now: RecordedAnswer, holds: bool) -> None:
    assert TAKEN.holds(request_, now) is holds


@cases("body, holds", ('{"status": "reverted"}', True), ('{"status": "sent"}', False), ("reverted", False))
def test_a_member_of_an_answer_is_kept(body: str, holds: bool) -> None:
    assert REVERTED.holds(post("{}"), answer(body=body)) is holds


@cases(
    "now, holds",
    (answer(body='{"a": 2, "id": "con_drawn1", "b": 1}'), True),
    (answer(body='{"a": 2, "id": "con_others", "b": 5}'), True),
    (answer(body='{"a": 3, "id": "con_drawn1", "b": 1}'), False),
    (answer(body='{"a": 1, "id": "con_drawn1", "b": 1}'), False),
    (answer(body='{"a": 2, "id": "con_before", "b": 1}'), False),
)
def test_a_difference_stays_in_its_parts_unless_drawn(now: RecordedAnswer, holds: bool) -> None:
    table = LinkTable()
    table.add("con_drawn1", Link(1, ValuePlace("body", "/id")))
    run = run_of((get(), answer(body='{"a": 1, "id": "con_before", "b": 1}')))
    shown = {1: answer(body='{"a": 2, "id": "con_drawn1", "b": 1}')}
    condition = find_condition("exchange 1 differs", run, shown, table)
    assert str(condition) == "exchange 1 differs in body /a, body /id"
    assert condition.holds(get(), now) is holds


def test_of_many_differences_the_first_three_are_told() -> None:
    run = run_of((get(), answer(body='{"a": 1, "b": 1, "c": 1, "d": 1}')))
    now = answer(body='{"a": 2, "b": 2, "c": 2, "d": 2}')
    assert str(found("exchange 1 differs", run, n1=now)) == (
        "exchange 1 differs in body /a, body /b, body /c"
    )


@cases(
    "given, code",
    (error(400, "a"), "a"),
    (answer(400, '{"code": "A"}'), "A"),
    (answer(400, '{"code": 7}'), None),
    (answer(400, '{"error": "text", "code": "B"}'), "B"),
    (answer(400, '{"error": {}, "code": "B"}'), None),
    (answer(400, "[]"), None),
    (answer(400, "no JSON"), None),
    (error(399, "a"), None),
)
def test_the_code_of_an_error_is_that_of_its_envelope(given: RecordedAnswer, code: str | None) -> None:
    assert code_of(given) == code
