"""The version stands in one place, and everything that names it agrees."""

import json
import re
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
