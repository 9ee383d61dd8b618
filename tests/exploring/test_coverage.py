"""Error coverage: what was met adds up, and what cannot be met is left out with a reason."""

from pathlib import Path

import httpx
import pytest

from mockserver.exploring.coverage import read_not_applicable
from mockserver.server.assembly import ROUTES
from mockserver.server.control.history.coverage import ErrorCoverage
from mockserver.server.control.history.unhappy_paths import unhappy_paths
from mockserver.testing.project import MockProject
from tests.tables import cases

OPERATION = "CreateContract"
PATHS = [path.id for path in unhappy_paths(ROUTES.by_operation[OPERATION])]
CONTRACT = {"name": "Token <b>", "chainId": 84532, "address": "0x" + "cd" * 20}


def made(*met: str) -> ErrorCoverage:
    """The error coverage of a run that has met some paths of the operation."""
    coverage = ErrorCoverage(ROUTES.by_operation)
    coverage.add({OPERATION: met})
    return coverage


def test_what_was_met_is_counted_once(mock: MockProject) -> None:
    with mock.connect() as api:
        for _ in range(3):
            api.post("/v1/contracts", json=CONTRACT)
    found = mock.call("GET", "/error-coverage")
    assert found["met"] == {OPERATION: ["contract_already_exists"]}
    assert set(PATHS) - {*found["missing"][OPERATION]} == {"contract_already_exists"}
    assert found["percent"] == round(100 / len(PATHS), 1)


def test_that_of_several_runs_adds_up() -> None:
    both = made("500")
    both.add(made("429").answer()["met"])
    assert both.answer()["met"] == {OPERATION: ["429", "500"]}
    assert f"{OPERATION}  2/{len(PATHS)}" in both.lines()[1].replace("   ", "  ")


def test_without_calls_nothing_is_missing() -> None:
    coverage = ErrorCoverage(ROUTES.by_operation)
    assert (coverage.percent, coverage.lines()) == (100, ["no operation of the API was called"])


def test_the_table_and_the_page_say_the_same(mock: MockProject) -> None:
    with mock.connect() as api:
        api.post("/v1/contracts", json=CONTRACT)
    url = f"{mock.url}/_mock/projects/{mock.id}/error-coverage"
    table, page = (httpx.get(url, headers={"accept": f"text/{kind}"}) for kind in ("plain", "html"))
    assert table.text.splitlines()[1].split()[:2] == [OPERATION, f"0/{len(PATHS)}"]
    assert f"<th scope=row>{OPERATION}</th><td>0 of {len(PATHS)}</td>" in page.text
    assert f"<td>{', '.join(PATHS)}</td>" in page.text
    assert f"<h1>{table.text.splitlines()[-1]}</h1>" in page.text
    assert page.headers["content-security-policy"].startswith("default-src 'none'")


def test_what_is_not_applicable_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "left-out.yaml"
    file.write_text(f"'*': {{'500': a gateway hides it}}\n{OPERATION}: {{chain_unknown: one chain only}}\n")
    coverage = ErrorCoverage(ROUTES.by_operation, read_not_applicable(file))
    coverage.add(made().answer()["met"])
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
