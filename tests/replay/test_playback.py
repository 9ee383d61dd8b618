"""The answers of a recording that is served: how many refusals are told, and how much is held."""

from io import BytesIO
from typing import Any

import pytest

from mockserver.api.call import Request
from mockserver.errors import ApiError
from mockserver.replay.serving import playback as module
from mockserver.replay.serving.matching import Matching
from mockserver.replay.serving.playback import Playback
from mockserver.server.recording.lines import to_line
from mockserver.server.recording.reading import BadRecording, Lines


def lines_of(*lines: dict[str, Any]) -> Lines:
    """The lines of a recording."""
    return Lines(BytesIO(b"".join(map(to_line, ({"mockserver_recording": 1}, *lines)))))


def exchange(number: int, path: str, body: str = "", **request: str) -> list[dict[str, Any]]:
    """The lines of an exchange."""
    return [
        {"n": number, "request": {"method": "GET", "path": path, "headers": [], "body": body, **request}},
        {"n": number, "answer": {"status": 200, "headers": [], "body": body}},
    ]


def playback(*lines: dict[str, Any], **matching: Any) -> Playback:
    return Playback(lines_of(*lines), Matching(**matching))


def ask(served: Playback, path: str) -> int:
    """The number of the exchange that a request gets."""
    return served.take(Request("GET", path, "", {})).number


def refused(served: Playback, path: str) -> ApiError:
    """Why a request is refused."""
    with pytest.raises(ApiError) as error:
        ask(served, path)
    return error.value


def test_answers_in_another_order_belong_to_their_requests() -> None:
    first, second = exchange(1, "/a"), exchange(2, "/b")
    served = playback(first[0], {"n": 1, "waits": True}, second[0], second[1], {"tick": "pro_1"}, first[1])
    assert (ask(served, "/a"), ask(served, "/b")) == (1, 2)
    assert served.unused() == []


def test_a_request_without_an_answer_is_not_served() -> None:
    served = playback(*exchange(1, "/a"), exchange(2, "/b")[0])
    assert refused(served, "/b").row.status == 404
    assert [each.number for each in served.unused()] == [1]


def test_a_recording_without_an_answer_refuses_all() -> None:
    for matching in ({}, {"strict_order": True}):
        error = refused(playback(**matching), "/a")
        assert error.row.status in (404, 409)
        assert " 0" in error.message or not matching


def test_a_hundred_refusals_are_told_and_all_counted() -> None:
    served = playback(*exchange(1, "/a", query="b=1"), *exchange(2, "/c"))
    for number in range(99):
        refused(served, f"/none/{number}")
    assert len([*served.summary()]) == 101
    refused(served, "/none/99")
    told = [*served.summary()]
    assert told[99].startswith("refused GET /none/99: ")
    assert told[100] == "exchange 1 was not asked for: GET /a?b=1"
    refused(served, "/none/100")
    refused(served, "/none/101")
    assert [*served.summary()][100:] == [
        "and 2 more",
        "exchange 1 was not asked for: GET /a?b=1",
        "exchange 2 was not asked for: GET /c",
    ]
    assert (served.refusals, len(served.refused)) == (102, 100)


def test_differences_are_told_with_five_parts_or_twenty() -> None:
    body = "{" + ",".join(f'"m{number:02d}":1' for number in range(30)) + "}"
    served = playback(*exchange(1, "/a", body))
    with pytest.raises(ApiError) as error:
        served.take(Request("GET", "/a", "", {}, body.replace(":1", ":2").encode()))
    parts = [f"body /m{number:02d}" for number in range(30)]
    assert f"differs in {', '.join(parts[:5])}." in error.value.message
    details = error.value.details
    assert details is not None
    assert list(details) == parts[:20]
    assert details["body /m00"] == {"message": "is 2, and was 1 when it was recorded"}


def test_a_recording_is_held_up_to_a_size_of_its_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = exchange(1, "/a", "x" * 50)
    monkeypatch.setattr(module, "_MOST_BYTES", 100)
    assert len(playback(*lines).unused()) == 1
    monkeypatch.setattr(module, "_MOST_BYTES", 99)
    with pytest.raises(BadRecording, match="line 3: the bodies are larger than 99 bytes together"):
        playback(*lines)


def sign_in(number: int, password: str, path: str = "/in") -> list[dict[str, Any]]:
    """The lines of a sign-in by POST, of a masked recording."""
    body = f'{{"email":"a@b.c","password":"{password}"}}'
    return exchange(number, path, body, method="POST")


def post(served: Playback, password: str, path: str = "/in", email: str = "a@b.c") -> int:
    body = f'{{"password": "{password}", "email": "{email}"}}'
    return served.take(Request("POST", path, "", {}, body.encode())).number


def test_a_placeholder_stands_for_any_text() -> None:
    served = playback(*sign_in(1, "masked-00001"), *sign_in(2, "masked-00002"), *sign_in(3, "masked-00001"))
    assert [post(served, "wrong horse"), post(served, "correct horse")] == [1, 2]
    assert post(served, "masked-00001") == 3
    with pytest.raises(ApiError):
        post(served, "correct horse")
    with pytest.raises(ApiError, match="differs in body /email"):
        post(served, "correct horse", email="d@b.c")


def test_an_equal_request_comes_before_placeholders() -> None:
    served = playback(*sign_in(1, "masked-00001"), *sign_in(2, "123456"))
    assert [post(served, "123456"), post(served, "654321")] == [2, 1]


def test_placeholders_are_in_paths_and_in_order() -> None:
    lines = (*sign_in(1, "x", path="/a/masked-00001XX/b"), *sign_in(2, "unrepeatable-00002"))
    served = playback(*lines, strict_order=True)
    assert [post(served, "x", path="/a/token/b"), post(served, "y")] == [1, 2]
    with pytest.raises(ApiError, match="differs in path"):
        post(playback(*lines), "x", path="/a/token/c")


def test_the_last_answer_is_repeated_for_placeholders() -> None:
    served = playback(*sign_in(1, "masked-00001"), repeat_last=True)
    assert [post(served, "one"), post(served, "two")] == [1, 1]
