"""The page in a browser that the machine has: nothing is downloaded; without one the tests are skipped."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from httpx import Client

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import server as server
from tests.live import shop as shop
from tests.thoroughness import sampled

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PATIENCE_MS = 30_000
"""How long a view may take on a machine that has other work."""
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # A name of another owner that leads to this machine: a foreign page, or a rebound name.
    "--host-resolver-rules=MAP foreign.example 127.0.0.1",
]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run a sample of these tests, or all where more is asked for."""
    here = [item for item in items if item.path.parent == Path(__file__).parent]
    left_out = {*here} - {*sampled(here, 16)}
    items[:] = [item for item in items if item not in left_out]
    config.hook.pytest_deselected(items=[*left_out])


@pytest.fixture(scope="package")
def browser() -> "Iterator[Browser]":
    """A headless Chromium.

    Not for the whole session: while Playwright is open its event loop counts as running on this thread, and
    other tests run loops of their own.
    """
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        pytest.skip("there is no Chromium here")
    playwright = pytest.importorskip("playwright.sync_api", reason="the extra `page` is not installed")
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield started
        started.close()


@pytest.fixture
def client(server: LiveServer, shop: MockProject) -> Iterator[Client]:
    """A client of the API with the project's secret key."""
    headers = {"authorization": f"Bearer {shop.secret_key}"}
    with Client(transport=server.transport, base_url="http://127.0.0.1", headers=headers) as opened:
        yield opened


@pytest.fixture
def context(browser: "Browser") -> "Iterator[BrowserContext]":
    """A profile of its own: storage, locks and tabs."""
    opened = browser.new_context(
        viewport={"width": 1280, "height": 760}, permissions=["clipboard-read", "clipboard-write"]
    )
    opened.set_default_timeout(PATIENCE_MS)
    yield opened
    opened.close()


@pytest.fixture
def errors(context: "BrowserContext") -> Iterator[list[str]]:
    """What goes wrong in the scripts of any tab, which has to be nothing."""
    found: list[str] = []
    context.on("weberror", lambda error: found.append(str(error.error)))
    yield found
    assert found == []


@pytest.fixture
def open_view(
    context: "BrowserContext", errors: list[str], server: LiveServer, shop: MockProject
) -> "Callable[[str], Page]":
    """Open a view, such as `journal?status=4xx`, in a new tab, and wait until it is live."""

    def open_tab(view: str) -> "Page":
        tab = context.new_page()
        tab.goto(f"{server.url}/_mock/#/{shop.id}/{view}")
        tab.wait_for_selector(".dot.on")
        return tab

    return open_tab
