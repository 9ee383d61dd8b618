"""What fails a test beside its own assertions: rules that never fired, calls to undeclared keys."""

from collections.abc import Generator
from typing import TYPE_CHECKING

import pytest

from mockserver.pytest_plugin.options import fails_undeclared_keys, fails_unused_rules, read_marker
from mockserver.pytest_plugin.projects import OWN_PROJECT
from mockserver.pytest_plugin.sessions import SESSION, PluginSession, Watch, uses_server

if TYPE_CHECKING:
    from mockserver.testing.connection import Entry

_RULES_HELP = (
    "A rule that need not fire is `optional: true`; @pytest.mark.mockserver(unused_rules='allow') is for all."
)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Note what is there before a test."""
    session = item.config.stash.get(SESSION, None)
    if session is None:
        return
    if uses_server(item):
        session.begin()
    else:
        session.watch = Watch()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Fail a test that passed if its rules never fired, or if its calls went to undeclared keys."""
    result = yield
    session = item.config.stash.get(SESSION, None)
    if session is not None:
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
