"""One server for all workers of pytest-xdist, or one that runs already."""

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mockserver.testing.server import LiveServer

_SHARED: "pytest.StashKey[LiveServer]" = pytest.StashKey()
_INPUT = "mockserver_url"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tell a worker of pytest-xdist where the server is that all workers share."""
    config: pytest.Config = node.config
    if not config.option.mockserver_share or config.option.mockserver_url:
        return
    if _SHARED not in config.stash:
        from mockserver.testing.server import LiveServer

        config.stash[_SHARED] = LiveServer()
    node.workerinput[_INPUT] = config.stash[_SHARED].url


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stop the server that the workers shared."""
    server = config.stash.get(_SHARED, None)
    if server is not None:
        server.stop()


def find_url(config: pytest.Config) -> str | None:
    """Where the server is that the tests are to use; None for one of their own."""
    given: str | None = config.option.mockserver_url
    return given or _worker_input(config).get(_INPUT)


def worker_id(config: pytest.Config) -> str:
    """The worker's name, such as `gw0`; empty without pytest-xdist."""
    return str(_worker_input(config).get("workerid", ""))


def _worker_input(config: pytest.Config) -> dict[str, Any]:
    found: dict[str, Any] = getattr(config, "workerinput", {})
    return found
