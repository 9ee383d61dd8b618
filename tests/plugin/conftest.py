"""pytest in pytest, with the plugin loaded as it is when it is installed."""

from collections.abc import Callable

import pytest

Run = Callable[..., pytest.RunResult]


@pytest.fixture
def run(pytester: pytest.Pytester, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a test module, given as text, with more arguments for pytest."""
    monkeypatch.syspath_prepend(str(request.config.rootpath))
    # Where the package is not installed, its entry point does not load the plugin.
    installed = request.config.pluginmanager.has_plugin("mockserver")
    plugin = () if installed else ("-p", "mockserver.pytest_plugin")

    def start(module: str, *arguments: str) -> pytest.RunResult:
        pytester.makepyfile(module)
        return pytester.runpytest_inprocess(*plugin, "-p", "no:cacheprovider", "-W", "error", *arguments)

    return start
