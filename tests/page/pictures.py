"""The pictures of the README and the guide, of a story on a frozen clock."""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from httpx import Client

from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.page.story import tell_story

if TYPE_CHECKING:
    from playwright.sync_api import Browser

_SIZE = {"width": 1280, "height": 720}
_PHONE = {"width": 390, "height": 720}
_SETTLED_MS = 400


def take_pictures(browser: "Browser", place: Path) -> list[Path]:
    """Tell the story to a new server, and photograph the views; returns the files."""
    with LiveServer() as server:
        shop = server.control.create_project(name="shop")
        headers = {"authorization": f"Bearer {shop.secret_key}"}
        with Client(transport=server.transport, base_url=server.url, headers=headers) as client:
            transaction = tell_story(client, shop)
        base = f"{server.url}/_mock/#/{shop.id}"
        mails = shop.call("GET", "/outbox")["data"]
        shots: list[tuple[str, str, Literal["light", "dark"], dict[str, int]]] = [
            ("journal", "journal?n=5", "light", _SIZE),
            ("journal-dark", f"journal?n={_last(shop)}", "dark", _SIZE),
            ("outbox", f"outbox?message={mails[-1]['id']}", "light", _SIZE),
            ("transaction", f"tables?table=onchain.transactions&row={transaction}", "light", _SIZE),
            ("scenarios", "scenarios", "light", _SIZE),
            ("timeline", "timeline?moment=13&from=8", "light", _SIZE),
            ("phone", "journal", "dark", _PHONE),
        ]
        return [
            _photograph(browser, f"{base}/{view}", place / f"{name}.png", scheme, size)
            for name, view, scheme, size in shots
        ]


def _last(shop: MockProject) -> int:
    """The number of the exchange that sent the transaction."""
    sent = shop.call("GET", "/journal", params={"operation": "CreateTransaction", "brief": "true"})
    return int(sent["data"][-1]["n"])


def _photograph(
    browser: "Browser", url: str, file: Path, scheme: Literal["light", "dark"], size: dict[str, int]
) -> Path:
    context = browser.new_context(
        viewport={"width": size["width"], "height": size["height"]},
        color_scheme=scheme,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector(".dot.on")
    page.wait_for_timeout(_SETTLED_MS)
    page.screenshot(path=file)
    context.close()
    return file
