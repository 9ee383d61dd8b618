"""Error coverage: what was met adds up, and what cannot be met is left out with a reason."""

from pathlib import Path
from typing import Any

import pytest

from mockserver.exploring.coverage import ErrorCoverage, read_not_applicable
from mockserver.exploring.paths import unhappy_paths
from tests.tables import cases

OPERATION = "CreateContract"
PATHS = [path.id for path in unhappy_paths(OPERATION)]


def entry(status: int = 200, code: str | None = None, *, lost: bool = False) -> dict[str, Any]:
    """An entry of a journal."""
    body = {"id": "con_1"} if code is None else {"error": {"code": code}}
    return {
        "operation": OPERATION,
        "status": status,
        "lost": lost,
        "fault": "connection_reset_by_peer" if lost else None,
        "response": {"body": body},
        "effects": {"rows": []},
    }


def test_what_was_met_is_counted_once() -> None:
    coverage = ErrorCoverage()
    coverage.see(
        [entry(), entry(409, "contract_already_exists"), entry(409, "contract_already_exists"), entry(500)]
    )
    assert set(PATHS) - set(coverage.missing(OPERATION)) == {"contract_already_exists", "500"}
    assert coverage.percent == pytest.approx(100 * 2 / len(PATHS))


def test_that_of_several_runs_adds_up() -> None:
    first, second, both = ErrorCoverage(), ErrorCoverage(), ErrorCoverage()
    first.see([entry(500)])
    second.see([entry(429, "rate_limited")])
    for each in (first, second):
        both.add(each.to_json())
    assert both.to_json() == {OPERATION: ["429", "500"]}
    assert f"{OPERATION}  2/{len(PATHS)}" in both.lines()[1].replace("   ", "  ")


def test_without_calls_nothing_is_missing() -> None:
    assert (ErrorCoverage().percent, ErrorCoverage().lines()) == (100, ["no operation of the API was called"])


def test_what_is_not_applicable_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "left-out.yaml"
    file.write_text(f"'*': {{'500': a gateway hides it}}\n{OPERATION}: {{chain_unknown: one chain only}}\n")
    coverage = ErrorCoverage(read_not_applicable(file))
    coverage.see([entry()])
    assert {"500", "chain_unknown"} == set(PATHS) - set(coverage.missing(OPERATION))


@cases(
    "text, finding",
    ("- 1", "is to map operations to paths"),
    ("CreateContract: [500]", "is to map paths to reasons"),
    ("CreateContract: {'500': ''}", "is to map paths to reasons"),
    ("CreateContract: {'501': none}", "has no path '501', but"),
    ("CreateContrct: {'500': none}", "has no path '500'"),
    ("a: {", "while parsing"),
)
def test_a_file_that_says_nothing_of_use_is_refused(tmp_path: Path, text: str, finding: str) -> None:
    file = tmp_path / "left-out.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=finding):
        read_not_applicable(file)
