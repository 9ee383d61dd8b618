"""The ledger is about what is in the code: all of it, and nothing else."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Collection
from dataclasses import fields
from fnmatch import filter as matching
from pathlib import Path

import pytest

from docs.pages.lifecycles import lifecycles
from mockserver import leniencies
from mockserver.errors import catalogue
from mockserver.fidelity.ledger import Statement, read_ledger
from mockserver.leniencies import Leniency
from mockserver.scenario.grammar.faults import FaultSpec
from mockserver.server.assembly import ENDPOINTS, ROUTES
from mockserver.server.openapi import FIDELITY, document
from mockserver.state.settings import Settings
from tests.tables import cases

ROOT = Path(__file__).parents[2]
LEDGER = read_ledger()
STATEMENTS = list(LEDGER.statements)
PUBLIC = [each for each in ENDPOINTS if each.family.public]
OPERATIONS = [each.operation for each in PUBLIC]
TAGS = {f"@{each.tag}" for each in PUBLIC}
NAMED: dict[str, Collection[str]] = {
    "settings": [field.name for field in fields(Settings)],
    "faults": list(FaultSpec.__annotations__),
    "errors": [row.code for row in catalogue() if not row.mock_only],
    "lifecycles": [machine.name for machine in lifecycles()],
}
"""What has to be in the ledger beside operations. Errors of the mock alone are no imitation of anything."""


@cases("kind", *NAMED)
def test_the_ledger_says_something_about_each(kind: str) -> None:
    for name in NAMED[kind]:
        assert any(matching([name], pattern) for each in STATEMENTS for pattern in getattr(each, kind)), name


@cases("kind", *NAMED)
def test_what_the_ledger_names_is_in_the_code(kind: str) -> None:
    for each in STATEMENTS:
        for pattern in getattr(each, kind):
            assert matching(NAMED[kind], pattern), f"{each.id}: {pattern}"


def test_each_operation_is_in_one_line_of_the_table() -> None:
    (section,) = (each for each in LEDGER.sections if each.layout == "operations")
    for one in PUBLIC:
        lines = [each.id for each in LEDGER.about(one.operation, one.tag) if each in section.statements]
        assert len(lines) == 1, f"{one.operation}: {lines}"


def test_operations_and_resources_that_are_named_exist() -> None:
    named = {pattern for each in STATEMENTS for pattern in each.operations}
    for pattern in named.union(*(each.operations for each in LEDGER.evidence)):
        assert matching(TAGS if pattern.startswith("@") else OPERATIONS, pattern), pattern


def test_ids_are_unique_and_name_evidence_and_pages() -> None:
    assert max(Counter(each.id for each in STATEMENTS).values()) == 1
    known = {each.id for each in LEDGER.evidence}
    for each in STATEMENTS:
        assert set(each.shown) <= known, each.id
        assert each.source, each.id
        assert not each.setup or (ROOT / "docs" / each.setup).is_file(), each.id
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", each.id)


def test_versions_are_those_that_the_tests_install() -> None:
    installed = dict[str, set[str]]()
    for file in ("tests/clients", "tests/nodes/clients"):
        packages = json.loads((ROOT / file / "package.json").read_text("utf-8"))["dependencies"]
        for name, version in packages.items():
            # Of another version beside it the name is an alias: npm:ethers@5.8.0.
            installed.setdefault(name, set()).add(version.rpartition("@")[2])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    for line in (*project["dependencies"], *project["optional-dependencies"]["test"]):
        name, version = re.fullmatch(r"([\w-]+)[^<>=]*([^;]*).*", line).groups()  # type: ignore[union-attr]
        installed.setdefault(name, set()).add(version.strip())
    checked = [each for each in LEDGER.evidence if each.what.partition(" ")[0] in installed]
    assert len(checked) > 8
    for each in checked:
        assert each.version in installed[each.what.partition(" ")[0]], each.id


def test_hints_and_accepted_lines_are_the_same() -> None:
    hints = {row.id for row in vars(leniencies).values() if isinstance(row, Leniency)}
    lines = {each.id for each in STATEMENTS if each.kind == "accepted" and "strict" in each.settings}
    assert lines == hints


def test_the_openapi_document_names_lines_by_their_ids() -> None:
    described = document(ROUTES.endpoints, False)
    lines = described[FIDELITY]
    for item in described["paths"].values():
        for operation in item.values():
            found = operation[FIDELITY]
            assert set(found["statements"]) <= lines.keys()
            assert found["kind"] == lines[found["statements"][0]]["kind"]
    assert FIDELITY not in document(ROUTES.endpoints, True)


@pytest.mark.parametrize(
    ("member", "named"),
    [
        ("body /calls/*/functionName", "function-without-abi"),
        ("answer /data/*/unheardOf", "operations-of-transactions"),
        ("", "operations-of-transactions"),
    ],
)
def test_a_deviation_contradicts_the_lines_that_name_its_member(member: str, named: str) -> None:
    found: list[Statement] = LEDGER.contradicted("CreateTransaction", "Transactions", member)
    assert named in [each.id for each in found]
