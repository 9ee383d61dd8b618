"""The pictures of the README and the guide can be taken, and are those that these show."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tests.page.pictures import take_pictures

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).parents[2]


def test_every_picture_that_is_shown_is_one_that_is_taken(browser: "Browser", tmp_path: Path) -> None:
    taken = {file.name for file in take_pictures(browser, tmp_path)}
    texts = [(ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/guides/page.md")]
    shown = {name for text in texts for name in re.findall(r"images/([a-z-]+\.png)", text)}
    assert shown == taken == {file.name for file in (ROOT / "docs" / "images").glob("*.png")}
