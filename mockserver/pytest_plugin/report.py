"""What a failed test shows, and what fails it beside its own assertions: unused rules, undeclared keys."""

from collections.abc import Generator, Iterator
from typing import TYPE_CHECKING

import pytest

from mockserver.pytest_plugin.observers import EXPLORES
from mockserver.pytest_plugin.options import fails_undeclared_keys, fails_unused_rules, read_marker
from mockserver.pytest_plugin.sessions import OWN_PROJECT, SESSION, PluginSession, Watch, uses_server

if TYPE_CHECKING:
    from mockserver.testing.connection import Entry

_RULES_HELP = (
    "A rule that need not fire is `optional: true`; @pytest.mark.mockserver(unused_rules='allow') is for all."
)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note what is there before a test."""
    session = item.config.stash.get(SESSION, None)
    if session is not None:
        session.watch = session.look() if uses_server(item) else Watch()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that passed if its rules never fired, or if its calls went to undeclared keys."""
    result = yield
    session = item.config.stash.get(SESSION, None)
    if session is not None and not item.config.stash.get(EXPLORES, False):
        _fail_if_any(session, _find_unused_rules(item), _RULES_HELP)
        if uses_server(item) and fails_undeclared_keys(item.config, read_marker(item)):
            _fail_if_any(session, session.find_undeclared())
    return result


def _fail_if_any(session: PluginSession, section: "Entry | None", *more: str) -> None:
    if section is not None:
        session.watch.told = section["title"]
        pytest.fail("\n".join([*section["lines"], *more]), pytrace=False)


def _find_unused_rules(item: pytest.Item) -> "Entry | None":
    project = item.stash.get(OWN_PROJECT, None)
    if project is None or not project.loaded or not fails_unused_rules(item.config, read_marker(item)):
        return None
    from mockserver.testing.reporting import find_unused_rules

    return find_unused_rules(project)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what the projects recorded to the report of a failed test."""
    report = yield
    session = item.config.stash.get(SESSION, None)
    if session is not None and not item.config.stash.get(EXPLORES, False):
        try:
            if report.failed:
                told = session.watch.told
                report.sections.extend(each for each in _find_sections(item, session) if each[0] != told)
            elif call.when == "setup" and uses_server(item):
                session.end_set_up()
        except Exception as error:
            # The server is gone, or its client is closed. What is raised here would end the whole run.
            report.sections.append(("mockserver", f"no report: {type(error).__name__}: {error}"))
    return report


def _find_sections(item: pytest.Item, session: PluginSession) -> Iterator[tuple[str, str]]:
    """Of the test's own project, and of others that were called meanwhile."""
    from mockserver.testing.reporting import read_report

    own, watched = item.stash.get(OWN_PROJECT, None), uses_server(item)
    others = [project for project in session.projects if project is not own] if watched else []
    for project in [*others] if own is None else [own, *others]:
        report = read_report(project, since=session.watch.numbers.get(project.id, 0))
        of = "" if project is own else f" of {project.name}"
        for section in report["sections"]:
            # The calls to undeclared keys are counted for all projects together.
            if section["id"] != "undeclared_keys" and (project is own or report["exchanges"]):
                yield f"{section['title']}{of}", "\n".join(section["lines"])
    undeclared = session.find_undeclared() if watched else None
    if undeclared is not None:
        yield undeclared["title"], "\n".join(undeclared["lines"])
