"""What the projects recorded, as sections of pytest's report of a failed test."""

from collections.abc import Generator, Iterator

import pytest

from mockserver.pytest_plugin.projects import OWN_PROJECT
from mockserver.pytest_plugin.sessions import SESSION, PluginSession, last_number, uses_server


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what the projects recorded to the report of a failed test."""
    report = yield
    session = item.config.stash.get(SESSION, None)
    if session is not None:
        if report.failed:
            report.sections += _find_sections(item, session)
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
            yield "mockserver undeclared keys", "\n".join(undeclared)
