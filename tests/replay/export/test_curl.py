"""The shell script of a run, call by call."""

from typing import Any

from mockserver.replay.export.curl import to_curl
from mockserver.replay.steps import RecordedAnswer, RecordedRequest
from tests.replay.invented_runs import answer, get, post, run_of
from tests.tables import cases

TEXT = ("content-type", "text/plain")
CALL = b"curl --silent --show-error --globoff --path-as-is --write-out '\\n'"


def call_of(request: RecordedRequest) -> list[bytes]:
    """The words of the one call in a script."""
    script = to_curl(run_of((request, answer())))
    *_, call = script.split(b"\n\n")
    _, _, command = call.partition(b"\n")
    return [word.strip() for word in command.rstrip(b"\n").split(b" \\\n")]


@cases(
    "request_, words",
    (get(), [b"--request GET"]),
    (RecordedRequest("HEAD", "/v1/contracts", ()), [b"--head"]),
    (get("/v1/contracts", ("Host", "a"), ("x-a", "1")), [b"--request GET", b"--header 'x-a: 1'"]),
    (
        get("/v1/contracts", ("Host", "a"), ("X-Wallet-Auth", "b")),
        [b"--request GET", b"--header 'Host: a'", b"--header 'X-Wallet-Auth: b'"],
    ),
    (get("/v1/contracts", ("x-a", "")), [b"--request GET", b"--header 'x-a;'"]),
    (get("/v1/contracts", ("x-a", "\xff")), [b"--request GET", b"--header 'x-a: \xff'"]),
    (post("a=1", TEXT), [b"--request POST", b"--header 'content-type: text/plain'", b"--data-raw a=1"]),
    (post("a=1"), [b"--request POST", b"--header content-type:", b"--data-raw a=1"]),
    (post("x" * 100_000), [b"--request POST", b"--header content-type:", b"--data-raw " + b"x" * 100_000]),
    (post(""), [b"--request POST"]),
)
def test_a_request_is_a_call_of_curl(request_: RecordedRequest, words: list[bytes]) -> None:
    assert call_of(request_) == [CALL, *words, b'"$MOCKSERVER_URL"/v1/contracts']


@cases("body, raw", ({"base64": "/wA="}, b"\xff\0"), ("a\0b", b"a\0b"), ("x" * 100_001, b"x" * 100_001))
def test_a_body_that_no_argument_can_have_comes_from_a_pipe(body: Any, raw: bytes) -> None:
    pipe, *words = call_of(post(body, TEXT))[0].split(b" |\n  "), *call_of(post(body, TEXT))[1:]
    assert pipe == [b"printf '" + b"".join(b"\\%03o" % byte for byte in raw) + b"'", CALL]
    assert words == [
        b"--request POST",
        b"--header 'content-type: text/plain'",
        b"--data-binary @-",
        b'"$MOCKSERVER_URL"/v1/contracts',
    ]


def test_each_call_says_what_it_was_and_how_it_was_answered() -> None:
    script = to_curl(run_of((get(), answer(200)), (get("/v1/none"), answer(404)), (get(), None)))
    said = [line for line in script.decode().splitlines() if line.startswith("# ")][-3:]
    assert said == ["# 1: GetContracts (200)", "# 2 (404)", "# 3: GetContracts (no answer)"]


@cases(
    "received, said",
    (answer(200)._replace(headers=(("content-type", "text/event-stream"),)), "200"),
    (answer(200)._replace(fault="timeout", sent=""), "no whole answer"),
    (None, "no answer"),
)
def test_an_answer_without_end_is_left(received: RecordedAnswer | None, said: str) -> None:
    script = to_curl(run_of((get(), received)))
    assert f"GetContracts ({said})\n".encode() + CALL + b" --max-time 1 \\\n" in script
