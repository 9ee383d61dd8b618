"""The report of a failed test, as the server makes it; outside of pytest it is a note of the exception."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mockserver.testing.connection import ControlApiError, Entry
from mockserver.testing.project import MockProject

__tracebackhide__ = True


def read_report(project: MockProject, **asked: Any) -> Entry:
    """The `exchanges` and `sections` of a report; nothing about a deleted project.

    `asked` is the query: `since` for the exchanges after a number, `sections` for some only.
    """
    try:
        report: Entry = project.call("GET", "/report", params=asked)
    except ControlApiError:
        return {"exchanges": 0, "sections": []}
    return report


def report_text(project: MockProject, since: int) -> str:
    """The report about the exchanges after number `since` as one text; empty when there is nothing to say."""
    sections = read_report(project, since=since)["sections"]
    return "\n".join("\n".join([f"--- {each['title']} ---", *each["lines"]]) for each in sections)


def find_unused_rules(project: MockProject) -> Entry | None:
    """The section about rules that never fired of the scenarios that `load` loaded; None if all did."""
    if not project.loaded:
        return None
    found = read_report(project, sections=["rules"], scenarios=project.loaded)["sections"]
    return found[0] if found else None


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
    """Add what the project recorded in a block to an exception that ends it, as a note (PEP 678)."""
    since = project.journal.last_number
    try:
        yield
    except Exception as error:
        try:
            report = report_text(project, since)
        except Exception as problem:
            # The server is gone, or its client is closed: that is not to hide the error of the test.
            report = f"mockserver: no report: {type(problem).__name__}: {problem}"
        if report:
            error.add_note(report)
        raise


def check_rules(project: MockProject) -> None:
    """AssertionError if rules of the scenarios that `load` loaded never fired and are not optional."""
    unused = find_unused_rules(project)
    if unused is not None:
        raise AssertionError("\n".join(unused["lines"]))


async def run_reporting(
    project: Callable[[], MockProject], method: Callable[[], Awaitable[None]], check: Callable[[], None]
) -> None:
    """Await a test method, and check what it did; its failure has the report of the project that it has."""
    # Not beside the test case: unittest leaves out every frame below one of that module.
    with reporting(project()):
        await method()
    check()
