"""`python -m tests.page` takes the pictures of the README and the guide anew."""

import shutil

from playwright.sync_api import sync_playwright

from tests.page.conftest import ARGUMENTS
from tests.page.pictures import take_pictures
from tests.page.test_pictures import ROOT

if __name__ == "__main__":
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    place = ROOT / "docs" / "images"
    place.mkdir(exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=ARGUMENTS)
        for file in take_pictures(browser, place):
            print(file.relative_to(ROOT), file.stat().st_size)
        browser.close()
