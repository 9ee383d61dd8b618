"""How a call becomes a step of a scenario: its references, and what no step can have."""

from typing import Any

import pytest

from mockserver.replay.export.history import PROJECT, Advance, Exchange
from mockserver.replay.export.steps import CannotWrite, Step, StepWriter, advance_step, merge_advances
from mockserver.replay.shrinking.links import Link, LinkTable
from mockserver.replay.shrinking.places import ValuePlace
from mockserver.replay.steps import RecordedAnswer, RecordedRequest
from mockserver.server.assembly import ROUTES
from mockserver.state.project import Project
from tests.replay.invented_runs import JSON, answer, get, post
from tests.tables import cases

DRAWN = "con_Ab/12345678"
ANSWERED = answer()


def written(
    project: Project, request: RecordedRequest, *links: Link, answered: RecordedAnswer | None = ANSWERED
) -> Step:
    """The step of the third exchange; the first one's answer has a drawn value and is called `first`."""
    table = LinkTable()
    for link in links:
        table.add(DRAWN, link)
    endpoint = ROUTES.find(request.path)[0].get(request.method)
    call = Exchange(3, table.link(request, 3), answered, endpoint)
    return StepWriter(project, table, {1: "first", 3: "third"}).write(call)


@cases(
    "link, reference, needs",
    (Link(1, ValuePlace("body", "/id")), "${first.id}", {1}),
    (Link(1, ValuePlace("body", "/data/0/id")), "${first.data[0].id}", {1}),
    (Link(1, ValuePlace("body", "/a-b/c_1")), "${first.a-b.c_1}", {1}),
    (Link(PROJECT, ValuePlace("body", "/id")), "${project.id}", set()),
)
def test_a_value_of_an_earlier_answer_is_a_reference(
    link: Link, reference: str, needs: set[int], project: Project
) -> None:
    step = written(project, post(f'{{"name": "<{DRAWN}>", "abi": [{{"a": "${{x}}"}}, 7]}}', *JSON), link)
    assert step == Step(
        3,
        ({"call": "CreateContract", "body": {"name": f"<{reference}>", "abi": [{"a": "$${x}"}, 7]}},),
        frozenset(needs),
        "third",
    )


@cases(
    "link, said",
    (Link(1, ValuePlace("header", "x-a")), "header x-a, as it is"),
    (Link(1, ValuePlace("cookie", "a")), "cookie a, as it is"),
    (Link(1, ValuePlace("body", "/url", "code")), r"body /url \?code, as it is"),
    (Link(1, ValuePlace("body", "/a~1b")), "body /a~1b, as it is"),
    (Link(1, ValuePlace("body", "/é")), "body /é, as it is"),
    (Link(1, ValuePlace("body", "/id"), "lower-case"), "body /id, lower-case"),
    (Link(1, ValuePlace("body", "/id"), "percent-encoded"), "body /id, percent-encoded"),
)
def test_a_value_that_no_reference_can_name_is_in_no_step(link: Link, said: str, project: Project) -> None:
    with pytest.raises(CannotWrite, match=f"it has a value that no reference can name: {said}"):
        written(project, post(f'{{"name": "{DRAWN}"}}', *JSON), link)


def test_a_value_of_an_exchange_that_is_no_step_is_in_no_step(project: Project) -> None:
    with pytest.raises(CannotWrite, match="it has a value of exchange 2, which is no step"):
        written(project, post(f'{{"name": "{DRAWN}"}}', *JSON), Link(2, ValuePlace("body", "/id")))


@cases(
    "request_, answered, said",
    (get("/v1/none"), answer(), "a step cannot call it"),
    (get("/_mock/projects"), answer(), "a step cannot call it"),
    (get(), None, "it was not answered"),
    (get(), answer(400), "it was refused"),
    (get(), answer(199), "it was refused"),
    (post("{", *JSON), answer(), "its body is not JSON"),
    (post("null", *JSON), answer(), "its body is not JSON"),
    (post("{}"), answer(), "its body is not JSON"),
    (post("{}", ("content-type", "text/plain")), answer(), "its body is not JSON"),
    (post({"base64": "/w=="}, *JSON), answer(), "its body is not JSON"),
)
def test_what_no_step_can_do_is_said(
    request_: RecordedRequest, answered: RecordedAnswer | None, said: str, project: Project
) -> None:
    with pytest.raises(CannotWrite) as refused:
        written(project, request_, answered=answered)
    assert str(refused.value) == said


@cases("status", 200, 302, 399)
def test_a_call_that_succeeded_or_was_sent_elsewhere_is_a_step(status: int, project: Project) -> None:
    assert written(project, get(), answered=answer(status)).texts == ({"call": "GetContracts"},)


@cases(
    "request_, members",
    (get("/v1/contracts/con_1"), {"call": "GetContract", "path": {"id": "con_1"}}),
    (
        get(query="name=1&address=&name=2&order=%20&unknown=1"),
        {"query": {"name": ["1", "2"], "address": "", "order": " "}},
    ),
    (get(query="wait=1"), {}),
    (
        get("/v1/contracts", ("X-A", "1"), ("Accept", "*/*"), ("X-Wallet-Auth", "x")),
        {"headers": {"X-A": "1"}},
    ),
    (get("/v1/contracts", ("cookie", "a=b")), {"headers": {"cookie": "a=b"}}),
    (get("/v1/contracts", ("authorization", "Bearer x")), {"headers": {"authorization": "Bearer x"}}),
    (get("/v1/contracts", ("x-key", "Bearer {key}")), {"headers": {"x-key": "Bearer {key}"}}),
    (get("/v1/contracts", ("Authorization", "Bearer {key}")), {}),
    (post("{}", ("content-type", "application/json; charset=utf-8")), {"call": "CreateContract", "body": {}}),
)
def test_a_step_has_what_it_can_choose(
    request_: RecordedRequest, members: dict[str, Any], project: Project
) -> None:
    def with_key(text: str) -> str:
        return text.replace("{key}", project.secret_key)

    headers = tuple((name, with_key(value)) for name, value in request_.headers)
    (text,) = written(project, request_._replace(headers=headers)).texts
    if "headers" in members:
        members = {
            **members,
            "headers": {name: with_key(value) for name, value in members["headers"].items()},
        }
    assert text == {"call": "GetContracts"} | members


@cases("query", "wait=5&limit=1", "limit=1")
def test_no_step_waits_for_what_happens_later(query: str, project: Project) -> None:
    path = f"/_mock/projects/{project.id}/outbox"
    (text,) = written(project, get(path, query=query)).texts
    assert text == {"call": "ListOutbox", "query": {"limit": "1"}}


SESSION = Link(1, ValuePlace("cookie", "session"))


def test_the_session_of_a_cookie_is_sent_as_a_bearers(project: Project) -> None:
    step = written(project, get("/v1/contracts", ("Cookie", f"session={DRAWN}")), SESSION)
    assert step.texts == ({"call": "GetContracts", "headers": {"authorization": "Bearer ${first.token}"}},)
    assert step.needs == {1}


def test_of_two_credentials_the_cookie_is_left_out(project: Project) -> None:
    given = ("cookie", f"session={DRAWN}"), ("authorization", "Bearer other")
    step = written(project, get("/v1/contracts", *given), SESSION)
    assert step.texts == ({"call": "GetContracts", "headers": {"authorization": "Bearer other"}},)
    assert step.needs == frozenset()


@cases(
    "advance, body",
    (Advance(90_000), {"seconds": 90}),
    (Advance(1_500), {"seconds": 1.5}),
    (Advance(1_000, 0), {"to": "1970-01-01T00:00:00.000Z"}),
)
def test_the_clock_moves_by_whole_seconds_where_possible(advance: Advance, body: object) -> None:
    step = advance_step(advance)
    assert step == {"call": "AdvanceClock", "body": body}
    assert [type(value) for value in step["body"].values()] == [type(value) for value in body.values()]  # type: ignore[attr-defined]


def test_moves_of_the_clock_that_are_next_to_each_other_are_one() -> None:
    step = Step(1, (), frozenset(), None)
    items = [Advance(1), step, Advance(2), Advance(3, 7), Advance(4, 8), step, step, Advance(5)]
    assert merge_advances(items) == [Advance(1), step, Advance(9, 8), step, step, Advance(5)]
