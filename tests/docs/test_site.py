"""What the site of the documentation shows: its navigation, its versions, the picture of the layers."""

import re
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from posixpath import normpath
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest

from docs.generate import PICTURE
from docs.pages.architecture import architecture_picture, layers_of
from tests.docs.test_links import links

ROOT = Path(__file__).parents[2]
INDEX = ROOT / "docs" / "index.md"


@pytest.fixture(scope="module")
def configuration() -> dict[str, Any]:
    """The names of the configuration of Sphinx, which need no Sphinx."""
    return runpy.run_path(str(ROOT / "docs" / "conf.py"))


def test_the_navigation_has_every_page_that_the_index_links(configuration: dict[str, Any]) -> None:
    tree = configuration["navigation"](INDEX.read_text(encoding="utf-8")).splitlines()
    pages = [link.removesuffix(".md") for link in links(INDEX)]
    assert [line for line in tree if line in pages] == pages
    assert ":caption: Reference" in tree


def test_what_a_code_host_draws_is_left_to_the_table_below_it(configuration: dict[str, Any]) -> None:
    prepare: Callable[[None, str, list[str]], None] = configuration["prepare"]
    source = ["# Page\n\n```mermaid\nstateDiagram-v2\n```\n\n| State |\n|---|\n"]
    prepare(None, "docs/page", source)
    assert source == ["# Page\n\n\n| State |\n|---|\n"]


def test_every_page_is_written_as_markdown_and_says_where(
    configuration: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "docs" / "guides").mkdir(parents=True)
    pages = SimpleNamespace(outdir=tmp_path, env=SimpleNamespace(found_docs=["README", "docs/guides/faults"]))
    configuration["write_markdown"](pages, None)
    faults = ROOT / "docs" / "guides" / "faults.md"
    assert (tmp_path / "docs" / "guides" / "faults.md").read_bytes() == faults.read_bytes()
    assert (tmp_path / "llms.txt").read_text(encoding="utf-8").startswith("# mockserver\n\n> ")
    context = {"metatags": ""}
    configuration["link_markdown"](None, "docs/guides/faults", "page.html", context, None)
    assert 'type="text/markdown" href="faults.md"' in context["metatags"]


def test_llms_txt_lists_what_the_index_links(configuration: dict[str, Any]) -> None:
    files: dict[str, str] = configuration["llms_files"](INDEX.read_text(encoding="utf-8"))
    listed = re.findall(r"^- \[.+\]\((.+\.md)\): \S.+$", files["llms.txt"], re.MULTILINE)
    linked = dict.fromkeys(normpath(f"docs/{link.partition('#')[0]}") for link in links(INDEX))
    assert sorted(listed) == sorted(linked)
    assert "- [Clock](docs/guides/clock.md): How do I test what takes hours?" in files["llms.txt"]


def test_the_full_text_leaves_out_what_is_optional(configuration: dict[str, Any]) -> None:
    files: dict[str, str] = configuration["llms_files"](INDEX.read_text(encoding="utf-8"))
    needed, optional = files["llms.txt"].split("\n## Optional\n")
    assert "docs/decisions.md" in optional
    pages = re.findall(r"\((\S+\.md)\)", needed)
    assert re.findall(r"^<!-- (\S+\.md) -->$", files["llms-full.txt"], re.MULTILINE) == pages
    assert (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8") in files["llms-full.txt"]


def test_the_newest_version_is_first_by_its_numbers(tmp_path: Path) -> None:
    for version in ("1.9.0", "1.10.0", "0.3.1", "assets"):
        (tmp_path / version).mkdir()
    subprocess.run([sys.executable, str(ROOT / ".ci" / "versions.py"), str(tmp_path)], check=True)
    listed = (tmp_path / "versions.html").read_text(encoding="utf-8")
    positions = [listed.index(f'"{version}/docs/index.html"') for version in ("1.10.0", "1.9.0", "0.3.1")]
    assert positions == sorted(positions)
    assert "assets" not in listed
    assert 'content="0; url=1.10.0/docs/index.html"' in (tmp_path / "index.html").read_text(encoding="utf-8")


def test_the_picture_of_the_layers_is_what_the_contracts_say() -> None:
    drawn = PICTURE.read_text(encoding="utf-8")
    assert drawn == architecture_picture(), "run python docs/generate.py"
    texts = {element.text for element in ElementTree.fromstring(drawn).iter() if element.tag.endswith("text")}
    packages = ("mockserver", "mockserver.domain")
    assert {name for package in packages for layer in layers_of(package) for name in layer} <= texts
