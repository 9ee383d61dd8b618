"""What the projects recorded, as sections of pytest's report of a failed test."""

from collections.abc import Generator, Iterator

import pytest

from mockserver.pytest_plugin.projects import OWN_PROJECT
from mockserver.pytest_plugin.sessions import SESSION, PluginSession, last_number, uses_server
from mockserver.testing import sections


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what the projects recorded to the report of a failed test."""
    report = yield
    session = item.config.stash.get(SESSION, None)
    if session is not None:
        if report.failed:
            told = session.watch.told
            report.sections += [section for section in _find_sections(item, session) if section[0] != told]
        elif call.when == "setup" and uses_server(item):
            session.end_set_up()
    return report


def _find_sections(item: pytest.Item, session: PluginSession) -> Iterator[tuple[str, str]]:
    """Of the test's own project, and of others that were called meanwhile."""
    from mockserver.testing.report import report_sections

    own = item.stash.get(OWN_PROJECT, None)
    if own is not None:
        yield from report_sections(own, session.watch.numbers.get(own.id, 0))
    if uses_server(item):
        for project in session.projects:
            since = session.watch.numbers.get(project.id, 0)
            if project is not own and last_number(project) > since:
                for title, text in report_sections(project, since):
                    yield f"{title} of {project.name}", text
        undeclared = session.describe_undeclared()
        if undeclared:
            yield sections.UNDECLARED_KEYS, "\n".join(undeclared)
