"""The source of an exported test for vitest, where it is not as that for pytest."""

from typing import Any

import pytest

from mockserver.replay.export.history import CannotExport
from mockserver.replay.export.runners import to_test
from mockserver.replay.export.vitest_file import Vitest
from tests.replay.export.conftest import Recorded
from tests.tables import cases

JSON = {"headers": {"content-type": "application/json"}}


def body_of(source: str) -> list[str]:
    """The lines of the one test in a file."""
    _, _, body = source.partition('test("recorded run", async ({ mockProject }) => {\n')
    return [line.removeprefix("  ") for line in body.splitlines()[:-1]]


def test_a_call_is_a_call_of_the_function_in_the_file(recorded: Recorded) -> None:
    advance = ("POST", "/_mock/projects/-/clock/advance", {"json": {"seconds": 1.5}})
    source = to_test(recorded(advance, ("GET", "/v1/contracts/none", {})), Vitest())
    assert 'mockTest(base, {\n  clock: "2026-01-01T00:00:00.000Z",\n  seed: "' in source
    assert "authorization: `Bearer ${project.secretKey}`" in source
    assert body_of(source) == [
        "let answer;",
        "await mockProject.clock.advance(1.5);",
        'answer = await send(mockProject, "GET", "/v1/contracts/none");',
        "expect(answer.status).toBe(404);",
        'expect(answer.json().error.code).toEqual("contract_not_found");',
    ]


@cases(
    "options, argument",
    ({"json": {"a": [1, None, 0.5]}}, "json: { a: [1, null, 0.5] }"),
    ({"content": b"null", **JSON}, "json: null"),
    ({"content": b"[1.0]", **JSON}, 'content: "[1.0]"'),
    ({"content": b"9007199254740993", **JSON}, 'content: "9007199254740993"'),
    ({"content": b'{"__proto__": 1}', **JSON}, r'content: "{\"__proto__\": 1}"'),
    ({"content": b"\xff"}, 'content: Buffer.from("ff", "hex")'),
    ({"content": b"a=1"}, 'content: "a=1"'),
)
def test_a_body_is_sent_as_javascript_can(options: dict[str, Any], argument: str, recorded: Recorded) -> None:
    assert argument in to_test(recorded(("POST", "/v1/contracts", options)), Vitest())


def test_what_fetch_cannot_send_is_no_test_for_vitest(recorded: Recorded) -> None:
    history = recorded(("GET", "/v1/contracts", {"json": {}}))
    with pytest.raises(CannotExport, match="exchange 1 is a GET with a body, which fetch cannot send; --to"):
        to_test(history, Vitest())


def test_headers_that_clients_send_by_themselves_are_left_out(recorded: Recorded) -> None:
    of_browsers = {"sec-fetch-site": "cross-site", "sec-ch-ua-mobile": "?0", "referer": "http://localhost:1/"}
    headers = {
        "accept-language": "*",
        "sec-fetch-mode": "cors",
        "upgrade": "h2c",
        **of_browsers,
        "x-mine": "1",
    }
    lines = body_of(to_test(recorded(("GET", "/v1/contracts", {"headers": headers})), Vitest()))
    assert lines[1] == (
        'answer = await send(mockProject, "GET", "/v1/contracts", { headers: { "x-mine": "1" } });'
    )
