"""What a replay found, in lines for people and as JSON."""

from typing import Any

from mockserver.replay.comparison import Difference
from mockserver.replay.player import DifferingStep
from mockserver.replay.report import Report, add
from mockserver.version import __version__
from tests.tables import cases

EMPTY = Report("run.jsonl", "0.0.9")
REQUEST: dict[str, Any] = {
    "method": "POST",
    "path": "/v1/contracts",
    "headers": [["x-a", "1\x1b"]],
    "body": "{}",
}
EXPECTED: dict[str, Any] = {"n": 2, "answer": {"status": 200, "headers": [], "body": '{"a":1}'}}
GOT: dict[str, Any] = {"n": 2, "answer": {"status": 409, "headers": [["x-b", "2"]]}}


def found(*parts: str, **members: Any) -> DifferingStep:
    """A step that differs in some parts."""
    differences = [Difference(part, 1, "two") for part in parts or ("status",)]
    return DifferingStep(9, 2, REQUEST, EXPECTED, GOT, differences, {})._replace(**members)


def lines_of(*differing: DifferingStep, **members: Any) -> list[str]:
    """The lines of a report."""
    report = EMPTY
    for each in differing:
        report = add(report, each)
    return list(report._replace(**members).lines())


def test_a_replay_without_a_difference_is_one_line() -> None:
    assert lines_of(exchanges=3) == ["3 exchanges replayed, none differ"]


def test_the_first_difference_is_told_in_full_others_in_a_line() -> None:
    row = "row pro_1 t/1"
    first = found("status", row, rows={row: {"name": "T"}})
    second = found("a", "b", "c", "d", exchange=3, line=11, request=REQUEST | {"query": "e=1"})
    assert lines_of(first, second, exchanges=4) == [
        f"exchange 2 (line 9): POST /v1/contracts differs in status, {row}",
        "  status",
        "    expected 1",
        "    got      two",
        f"  {row}",
        "    expected 1",
        "    got      two",
        f'  {row} is now {{"name": "T"}}',
        "request:",
        "  POST /v1/contracts",
        "  x-a: 1\\x1b",
        "  {}",
        "expected:",
        "  200",
        '  {"a":1}',
        "got:",
        "  409",
        "  x-b: 2",
        "exchange 3 (line 11): POST /v1/contracts?e=1 differs in a, b, c",
        "4 exchanges replayed, 2 differ",
    ]


def test_no_line_has_control_characters() -> None:
    drives = {"path": "/\x1b[2J", "headers": [["x-\x1b", "1"]], "query": "\x07"}
    said = lines_of(found("body /\x1b[2J", request=REQUEST | drives), found("\x1b", exchange=3))
    assert all(line.isprintable() for line in said)


def test_without_request_and_answers_a_difference_shows_none() -> None:
    step = found("outcome", exchange=0, request=None, expected={"end": {}}, got={})
    assert lines_of(step) == [
        "the beginning differs in outcome",
        "  outcome",
        "    expected 1",
        "    got      two",
        "0 exchanges replayed, 1 differ",
    ]


@cases(
    "members, line",
    ({"unanswered": 7}, "exchange 7 has no answer in the recording: it ended before"),
    ({"cut": True}, "the recording has no end: more may have happened than is in the file"),
    ({"torn": True}, "the last line of the recording is torn; it was left out"),
    ({"masked": 2}, "2 masked values were not compared, only their placeholders"),
    (
        {"withheld": 1},
        "0 masked values were not compared, only their placeholders; 1 lines were withheld and not compared",
    ),
    (
        {"not_repeatable_from": 0},
        "exchange 0 cannot be repeated from here: it depends on a key, a signature or a line that masking"
        " took out",
    ),
)
def test_what_was_not_compared_is_told(members: dict[str, Any], line: str) -> None:
    assert lines_of(**members) == [line, "0 exchanges replayed, none differ"]


def test_the_changes_since_the_recordings_version_are_told() -> None:
    assert lines_of(changelog=["## [1]", "- New"])[:-1] == [
        f"recorded with mockserver 0.0.9, replayed with {__version__}; in between:",
        "  ## [1]",
        "  - New",
    ]


@cases("length, shown", (500, "x" * 500), (501, "x" * 500 + "… (501 characters)"))
def test_a_long_value_is_cut_and_says_how_long_it_is(length: int, shown: str) -> None:
    step = found(differences=[Difference("body", "x" * length, None)])
    assert lines_of(step)[2:4] == [f"    expected {shown}", "    got      null"]


def test_of_many_differences_the_first_are_kept() -> None:
    report = EMPTY
    for number in range(1, 103):
        report = add(report, found(exchange=number))
    assert [each.exchange for each in report.found] == list(range(1, 101))
    assert report.differing == 102


def test_the_report_is_one_json_object() -> None:
    report: Report = add(EMPTY, found(rows={"row": {}}))._replace(
        exchanges=5, unanswered=5, not_repeatable_from=3
    )
    assert report.to_json() == {
        "file": "run.jsonl",
        "recorded_with": "0.0.9",
        "replayed_with": __version__,
        "exchanges": 5,
        "differing": 1,
        "unanswered": 5,
        "torn": False,
        "cut": False,
        "masked": 0,
        "withheld": 0,
        "not_repeatable_from": 3,
        "found": [
            {
                "exchange": 2,
                "line": 9,
                "request": REQUEST,
                "expected": EXPECTED,
                "got": GOT,
                "differences": [{"part": "status", "expected": 1, "got": "two"}],
                "rows": {"row": {}},
            }
        ],
        "changelog": [],
    }
