"""The version stands in one place, and everything that names it agrees."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from httpx import Client

from mockserver import __version__

ROOT = Path(__file__).parents[2]
_HEADING = re.compile(r"^## \[(.+?)\](?: - (\d{4}-\d{2}-\d{2}))?$", re.MULTILINE)


def headings() -> list[tuple[str, str]]:
    """The versions of the changelog with their dates, the newest first."""
    return _HEADING.findall((ROOT / "CHANGELOG.md").read_text(encoding="utf-8"))


def test_the_package_takes_its_version_from_the_module() -> None:
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "version" not in pyproject["project"]
    assert pyproject["project"]["dynamic"] == ["version"]
    assert pyproject["tool"]["hatch"]["version"]["path"] == "mockserver/version.py"


def test_what_the_package_index_shows_leads_to_the_repository(tmp_path: Path) -> None:
    for name in ("README.md", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    subprocess.run(
        [sys.executable, ROOT / ".ci" / "describe.py", "shop/mockserver", "v1.0.0"], cwd=tmp_path, check=True
    )
    text = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "![The journal of the page" in text
    assert "(https://raw.githubusercontent.com/shop/mockserver/v1.0.0/docs/images/journal.png)" in text
    assert "[MIT](https://github.com/shop/mockserver/blob/v1.0.0/LICENSE)" in text
    assert not re.search(r"\]\((?!https://)", text)
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["urls"]["Source"] == "https://github.com/shop/mockserver"


def test_the_newest_release_of_the_changelog_is_the_version() -> None:
    released = [(name, date) for name, date in headings() if name != "Unreleased"]
    assert released[0][0] == __version__


def test_only_what_is_unreleased_has_no_date() -> None:
    dated = [(name, bool(date)) for name, date in headings()]
    assert dated == [(name, name != "Unreleased") for name, _ in dated]
    assert "Unreleased" not in [name for name, _ in dated[1:]]


def test_the_openapi_documents_name_the_version(api: Client) -> None:
    assert api.get("/_mock/openapi.json").json()["info"]["x-mockserver-version"] == __version__
    assert api.get("/_mock/openapi.json?api=control").json()["info"]["version"] == __version__


def test_the_package_for_node_has_the_version() -> None:
    package = json.loads((ROOT / "clients" / "node" / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == __version__
