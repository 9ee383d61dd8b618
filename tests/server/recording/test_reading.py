"""Reading the lines of a recording: what is torn, too long, too deep, and where."""

from io import BytesIO

import pytest

from mockserver.server.recording import reading
from mockserver.server.recording.reading import BadRecording, Lines
from tests.tables import cases

FIRST = b'{"mockserver_recording":2}\n'


def test_lines_are_looked_at_taken_and_numbered() -> None:
    lines = Lines(BytesIO(FIRST + b'{"a":1}\n{"b":2}\n'))
    assert (lines.place, lines.peek(), lines.peek(), lines.place) == (1, {"a": 1}, {"a": 1}, 2)
    assert (lines.take(), lines.take(), lines.place) == ({"a": 1}, {"b": 2}, 3)
    assert (lines.peek(), lines.take(), lines.is_torn, lines.place) == (None, None, False, 3)
    assert str(lines.bad("is wrong")) == "line 3: is wrong"
    assert [*Lines(BytesIO(FIRST + b"{}\n{}\n"))] == [{}, {}]


@cases("raw", b'{"a":', b'{"a":1}', b"no JSON")
def test_a_line_without_an_end_is_torn_and_none_wherever_it_is(raw: bytes) -> None:
    for before in (0, 1, 2):
        lines = Lines(BytesIO(FIRST + b"{}\n" * before + raw))
        assert [*lines] == [{}] * before
        assert lines.is_torn


def test_the_first_line_may_lack_its_end() -> None:
    assert Lines(BytesIO(FIRST.rstrip())).take() is None


@cases(
    "raw, reason",
    (b"{\n", "line 2: is not JSON"),
    (b"[]\n", "line 2: is no JSON object"),
    (b'{"a":' + b"[" * 64 + b"]" * 64 + b"}\n", "line 2: is nested more than 64 deep"),
    (b'{"a":' * 65 + b"1" + b"}" * 65 + b"\n", "line 2: is nested more than 64 deep"),
    (b'{"a":[' + b"{}," * 50 + b"{}]}\n", "line 2: has more than 50 objects and lists"),
    (b'{"a":[' + b"[]," * 50 + b"[]]}\n", "line 2: has more than 50 objects and lists"),
    (b'{"a":"' + b"x" * 993 + b'"}\n', "line 2: is longer than 1000 bytes"),
)
def test_an_unreadable_line_is_refused(raw: bytes, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if b"x" in raw:
        monkeypatch.setattr(reading, "LONGEST_LINE", 1000)
    if b"," in raw:
        monkeypatch.setattr(reading, "_MOST_VALUES", 50)
    with pytest.raises(BadRecording, match=reason) as refused:
        Lines(BytesIO(FIRST + raw)).take()
    assert refused.value.place == 2


@cases(
    "raw",
    b'{"a":' + b"[" * 63 + b"]" * 63 + b"}\n",
    b'{"a":[' + b"{}," * 47 + b"{}]}\n",
    b'{"a":"' + b"x" * 991 + b'"}\n',
)
def test_a_line_at_the_bounds_is_read(raw: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST_LINE", 1000)
    monkeypatch.setattr(reading, "_MOST_VALUES", 50 if b"," in raw else 100)
    assert Lines(BytesIO(FIRST + raw)).take() is not None


def test_an_opening_is_all_up_to_its_last_line(monkeypatch: pytest.MonkeyPatch) -> None:
    opening = FIRST + b'{"meta":{}}\n{"begin":{}}\n'
    lines = Lines(BytesIO(opening + b'{"n":1}\n'))
    monkeypatch.setattr(reading, "MOST_OPENING", len(opening))
    assert lines.read_opening() == opening
    assert lines.take() == {"n": 1}
    with pytest.raises(BadRecording, match="line 2: the recording ends before its first request"):
        Lines(BytesIO(FIRST + b"{}\n")).read_opening()
    monkeypatch.setattr(reading, "MOST_OPENING", len(opening) - 1)
    with pytest.raises(BadRecording, match="line 3: the state in which it begins has more than"):
        Lines(BytesIO(opening)).read_opening()
