"""A recording compares equal with the server that it was made with, and an answer that differs is found."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.regression.comparison import compare
from tests.regression.exchanges import Answer, Exchange, Request, read, write
from tests.regression.journeys import money, wallets
from tests.regression.server import Server, started
from tests.regression.story import Story
from tests.regression.whole_story import tell
from tests.tables import cases


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[Exchange]:
    """A short story, read from its file."""
    file = tmp_path_factory.mktemp("regression") / "story.jsonl"
    with started() as server:
        story = Story(server.send)
        tell(story, [money.small_resources, wallets.transfer], drawn=60)
    write(file, story.exchanges)
    return list(read(file))


@pytest.fixture
def server() -> Iterator[Server]:
    """A fresh server."""
    with started() as fresh:
        yield fresh


def test_a_server_answers_again_as_it_was_recorded(recorded: list[Exchange], server: Server) -> None:
    comparison = compare(recorded, server.send, control=True)
    assert comparison.compared == len(recorded) > 100
    assert comparison.differences == []


def test_an_answer_that_was_altered_is_located(recorded: list[Exchange], server: Server) -> None:
    index = next(i for i, each in enumerate(recorded) if each.operation == "CreatePaymaster")
    told = recorded[index].answer
    altered = replace(told, body=json.dumps({**told.json, "url": "https://other.example"}))
    story = [*recorded[:index], replace(recorded[index], answer=altered)]
    (difference,) = compare(story, server.send).differences
    assert (difference.number, difference.exchange.operation) == (index + 1, "CreatePaymaster")
    assert (difference.place, difference.recorded, difference.got) == (
        "body.url",
        "https://other.example",
        told.json["url"],
    )


def answer(body: str, *headers: list[str]) -> Answer:
    """A successful answer."""
    return Answer(200, list(headers), body)


def places(operation: str, recorded: Answer, got: Answer) -> list[str]:
    """Where an answer differs, according to a comparison."""
    exchange = Exchange(operation, Request("GET", "/v1/players", {}, ""), recorded)
    return [each.place for each in compare([exchange], lambda _: got).differences]


@cases(
    "recorded, got, place",
    (answer("{}"), replace(answer("{}"), status=404), "status"),
    (answer('{"a": [{"b": 1}]}'), answer('{"a": [{"b": 2}]}'), "body.a[0].b"),
    (answer('{"a": 1}'), answer('{"a": true}'), "body.a"),
    (answer('{"a": 1}'), answer('{"a": 1.0}'), "body.a"),
    (answer('{"a": null}'), answer("{}"), "body.a"),
    (answer('{"a": 1, "b": 2}'), answer('{"b": 2, "a": 1}'), "body (as text)"),
    (answer("{}", ["x-a", "1"]), answer("{}", ["x-a", "2"]), "headers.x-a"),
    (answer("{}"), answer("{}", ["x-a", "2"]), "headers.x-a"),
)
def test_every_byte_of_an_answer_counts(recorded: Answer, got: Answer, place: str) -> None:
    assert places("GetPlayers", recorded, got) == [place]
    assert places("GetPlayers", recorded, recorded) == []


def test_what_a_seal_hides_may_differ_where_keys_are_exported() -> None:
    old, new = answer('{"encryptedPrivateKey": "a"}'), answer('{"encryptedPrivateKey": "b"}')
    assert places("exportPrivateKey", old, new) == []
    assert places("importPrivateKey", old, new) == ["body.encryptedPrivateKey"]
    assert places("exportPrivateKey", old, answer("{}")) == ["body.encryptedPrivateKey"]


def test_answers_of_the_control_api_count_on_request() -> None:
    exchange = Exchange("", Request("GET", "/_mock/health", {}, ""), answer("{}"))
    assert compare([exchange], lambda _: answer("[]")).compared == 0
    assert len(compare([exchange], lambda _: answer("[]"), control=True).differences) == 1
