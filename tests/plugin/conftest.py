"""pytest in pytest, with the plugin loaded as it is when it is installed."""

from collections.abc import Callable

import httpcore  # noqa: F401
import pytest
import yaml  # noqa: F401

# Imported here, or each inner pytest would import them anew; and httpx, which imports httpcore on its first
# use and keeps what it imported, would not know the exceptions of the second one, nor would the reader of
# scenarios know the events of a second yaml.
import mockserver.scenario.checking.load
import mockserver.server.edge.listening
import mockserver.testing.server  # noqa: F401

Run = Callable[..., pytest.RunResult]

_LEAN = ("-p", "no:cacheprovider", "-p", "no:hypothesispytest")
"""What an inner pytest does without: hypothesis alone takes a second to sum up nothing."""


@pytest.fixture
def run(
    pytester: pytest.Pytester,
    plugin_options: tuple[str, ...],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    warning_options: tuple[str, ...],
) -> Run:
    """Run a test module, given as text, with more arguments for pytest."""
    monkeypatch.syspath_prepend(str(request.config.rootpath))

    def start(module: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(module)
        return pytester.runpytest_inprocess(*plugin_options, *warning_options, *arguments)

    return start


@pytest.fixture
def run_apart(
    pytester: pytest.Pytester,
    plugin_options: tuple[str, ...],
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """The same in a process of its own, which has imported nothing."""
    monkeypatch.setenv("PYTHONPATH", str(request.config.rootpath))

    def start(module: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(module)
        return pytester.runpytest_subprocess(*plugin_options, *arguments)

    return start


@pytest.fixture
def plugin_options(request: pytest.FixtureRequest) -> tuple[str, ...]:
    """The arguments by which an inner pytest has the plugin, and little else."""
    # Where the package is not installed, its entry point does not load the plugin.
    installed = request.config.pluginmanager.has_plugin("mockserver")
    return _LEAN if installed else ("-p", "mockserver.pytest_plugin", *_LEAN)
