"""The generated pages say what the declarations say."""

import dataclasses
import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType

import pytest

from docs import pages as reference
from docs.operations import operations_files
from mockserver.domain.policies.criteria.kinds import KINDS
from mockserver.errors import catalogue
from mockserver.server.assembly import ENDPOINTS

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docs" / "generate.py"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("docs_generate", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    path = list(sys.path)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path[:] = path
    return module


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    """The pages as they should be."""
    return reference.pages()


def names_in(reference: Path) -> set[str]:
    """The names of the pages in a directory, as the generator names them."""
    return {str(path.relative_to(reference)) for path in reference.rglob("*.md")}


def test_every_page_is_what_the_generator_writes(pages: dict[str, str]) -> None:
    stale = [name for name, text in pages.items() if (ROOT / "docs" / "reference" / name).read_text() != text]
    assert not stale, f"run python docs/generate.py: {', '.join(stale)}"


def test_the_server_finds_operations_where_they_are_declared() -> None:
    for file, text in operations_files().items():
        assert file.read_text() == text, "run python docs/generate.py"


def test_there_is_no_other_page(pages: dict[str, str]) -> None:
    assert names_in(ROOT / "docs" / "reference") == set(pages)


def test_every_operation_has_its_line(pages: dict[str, str]) -> None:
    for endpoint in ENDPOINTS:
        page = pages["operations.md" if endpoint.family.public else "control.md"]
        assert f"`{endpoint.operation}`" in page
        assert not endpoint.family.public or f"operations/{endpoint.operation}.md" in pages
        assert f"`{endpoint.method} {endpoint.path}`" in page


def test_every_request_is_shown_with_what_it_takes(pages: dict[str, str]) -> None:
    for endpoint in ENDPOINTS:
        if (
            not endpoint.family.public
            or endpoint.handler is None
            or endpoint.body is None
            or endpoint.family.is_rpc
        ):
            continue
        page = pages[f"operations/{endpoint.operation}.md"]
        assert all(f"| `{field.name}` | body |" in page for field in dataclasses.fields(endpoint.body))


def test_every_criterion_has_its_line(pages: dict[str, str]) -> None:
    for name, kind in KINDS.items():
        (line,) = [line for line in pages["criteria.md"].splitlines() if line.startswith(f"| `{name}` |")]
        assert all(f"`{member}`" in line for member in kind.members)


def test_every_error_has_its_line(pages: dict[str, str]) -> None:
    for row in catalogue():
        assert f"| `{row.code}` | {row.status} | {row.message} |" in pages["errors.md"]


def test_every_lifecycle_is_drawn(pages: dict[str, str]) -> None:
    page = pages["lifecycles.md"]
    assert page.count("stateDiagram-v2") == page.count("\n## ") >= 2


def test_a_check_tells_a_page_that_is_out_of_date(
    generate: ModuleType,
    pages: dict[str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(generate, "REFERENCE", tmp_path)
    monkeypatch.setattr(generate, "generated_files", cache(generate.generated_files))
    assert generate.main([]) == 0
    assert {name: (tmp_path / name).read_text() for name in names_in(tmp_path)} == pages
    assert generate.main(["--check"]) == 0
    capsys.readouterr()
    (tmp_path / "errors.md").write_text("old")
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().out == "out of date: errors.md\n"
    assert (tmp_path / "errors.md").read_text() == "old"
