"""What the projects recorded, as sections of pytest's report of a failed test."""

from collections.abc import Generator, Iterator

import pytest

from mockserver.pytest_plugin.projects import OWN_PROJECT
from mockserver.pytest_plugin.sessions import SESSION, PluginSession, uses_server


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
    from mockserver.testing.reporting import read_report

    own, watched = item.stash.get(OWN_PROJECT, None), uses_server(item)
    others = [project for project in session.projects if project is not own] if watched else []
    for project in [*others] if own is None else [own, *others]:
        report = read_report(project, since=session.watch.numbers.get(project.id, 0))
        of = "" if project is own else f" of {project.name}"
        for section in report["sections"]:
            # Those of all keys follow.
            if section["id"] != "undeclared_keys" and (project is own or report["exchanges"]):
                yield f"{section['title']}{of}", "\n".join(section["lines"])
    undeclared = session.find_undeclared() if watched else None
    if undeclared is not None:
        yield undeclared["title"], "\n".join(undeclared["lines"])
