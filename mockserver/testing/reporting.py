"""The report of a failure outside of pytest: as a note of the exception (PEP 678)."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from mockserver.testing.project import MockProject
from mockserver.testing.report import report_text
from mockserver.testing.unused_rules import explain_unused_rules

__tracebackhide__ = True


@contextmanager
def reported(project: MockProject) -> Iterator[MockProject]:
    """A project for a block: an exception that ends it has the report, and then the project is deleted."""
    try:
        with reporting(project):
            yield project
    finally:
        project.delete()


@contextmanager
def reporting(project: MockProject) -> Iterator[None]:
    """Add what the project recorded in a block to an exception that ends it."""
    since = project.journal.last_number
    try:
        yield
    except Exception as error:
        report = report_text(project, since)
        if report:
            error.add_note(report)
        raise


def check_rules(project: MockProject) -> None:
    """AssertionError if rules of the scenarios that `load` loaded never fired and are not optional."""
    unused = explain_unused_rules(project)
    if unused:
        raise AssertionError("\n".join(unused))


class ReportingCase(Protocol):
    """A test case with a project."""

    mock_project: MockProject

    def check_rules(self) -> None:
        """Fail if rules never fired."""


async def run_reporting(case: ReportingCase, method: Callable[[], Awaitable[None]]) -> None:
    """Await a test method; its failure has the report."""
    # Not beside the test case: unittest leaves out every frame below one of that module.
    with reporting(case.mock_project):
        await method()
    case.check_rules()
