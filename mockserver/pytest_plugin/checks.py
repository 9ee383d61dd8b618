"""What fails a test beside its own assertions: rules that never fired, calls to undeclared keys."""

from collections.abc import Generator

import pytest

from mockserver.pytest_plugin.options import fails_undeclared_keys, fails_unused_rules, read_marker
from mockserver.pytest_plugin.projects import OWN_PROJECT
from mockserver.pytest_plugin.sessions import SESSION, PluginSession, Watch, uses_server
from mockserver.testing import sections

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
        _fail_if_any(session, sections.RULES, _find_unused_rules(item))
        if uses_server(item) and fails_undeclared_keys(item.config, read_marker(item)):
            _fail_if_any(session, sections.UNDECLARED_KEYS, session.describe_undeclared())
    return result


def _fail_if_any(session: PluginSession, section: str, lines: list[str]) -> None:
    if lines:
        session.watch.told = section
        pytest.fail("\n".join(lines), pytrace=False)


def _find_unused_rules(item: pytest.Item) -> list[str]:
    project = item.stash.get(OWN_PROJECT, None)
    if project is None or not project.loaded or not fails_unused_rules(item.config, read_marker(item)):
        return []
    from mockserver.testing.connection import ControlApiError
    from mockserver.testing.unused_rules import explain_unused_rules

    try:
        unused = explain_unused_rules(project)
    except ControlApiError:
        # The test deleted its project.
        return []
    return [*unused, _RULES_HELP] if unused else []
