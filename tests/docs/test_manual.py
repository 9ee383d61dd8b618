"""The documentation offline: every page is there, reads as Markdown, and is found by what users know."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from mockserver import errors
from mockserver.manual import find_page, pages, read_page, search, suggest
from mockserver.manual.pages import read_sections
from mockserver.manual.sources import LEFT_OUT, PACK, collect_sources, compress_sources
from mockserver.server.assembly import ENDPOINTS
from tests.docs.test_links import anchors, links
from tests.tables import cases
from tests.thoroughness import sampled

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def test_every_page_for_users_is_there() -> None:
    written = {path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")}
    assert {page.name for page in pages()} == written - LEFT_OUT | {"CHANGELOG"}


def test_a_page_is_found_by_the_last_part_of_its_name() -> None:
    for page in pages():
        assert find_page(page.name.rpartition("/")[2]) == page


@cases("name", "faults", "Faults", "guides/faults", "guides/faults.md", "faults.md")
def test_a_name_may_leave_out_directory_and_ending(name: str) -> None:
    assert read_page(name).startswith("# Faults\n")


def test_every_page_says_in_a_line_what_it_is_about() -> None:
    assert {page.name: page.title for page in pages()}["guides/clock"] == "Clock"
    for page in sampled(pages(), 4):
        # That of the skill comes behind its head.
        headings = re.findall(r"(?m)^# .*", read_page(page.name).replace("`", ""))
        assert headings[0] == f"# {page.title}"
    told = {page.name: page.summary for page in pages()}
    assert told["guides/clock"] == "How do I test what takes hours?"
    assert told["reference/operations/CreateContract"] == "Register a contract."
    assert not [name for name, summary in told.items() if not summary or "\n" in summary]


def test_the_sections_of_a_page_are_those_that_links_name() -> None:
    for page in pages():
        path = DOCS / f"{page.name}.md"
        if path.exists():
            found = [section.anchor for section in read_sections(read_page(page.name))]
            assert set(found) == anchors(path), page.name


def test_every_link_to_a_page_and_its_section_can_be_read() -> None:
    read = 0
    for page in pages():
        path = DOCS / f"{page.name}.md"
        if page.is_operation or not path.exists():
            continue
        text = read_page(page.name)
        for link in links(path):
            target = (path.parent / link.partition("#")[0]).resolve()
            if target.suffix == ".md" and target.is_relative_to(DOCS) and target.stem not in LEFT_OUT:
                name = link.rpartition("/")[2]
                assert f"]({name})" in text
                assert read_page(name).startswith("#" if "#" in name else ("#", "---"))
                read += 1
    assert read > 200


def test_a_section_comes_with_its_subsections() -> None:
    section = read_page("errors#errors-of-the-api")
    assert section.startswith("## Errors of the API\n")
    assert "### `rate_limited`" in section
    assert "## Errors of the mock server itself" not in section


@cases(
    "name, told",
    ("guides/fualts", "'fualts' is not a page of the documentation (did you mean faults?)"),
    (
        "errors#rate_limitd",
        "'rate_limitd' is not a section of reference/errors (did you mean rate_limited?)",
    ),
)
def test_an_unknown_name_is_told_the_nearest(name: str, told: str) -> None:
    with pytest.raises(LookupError) as raised:
        read_page(name)
    assert str(raised.value) == told


def test_an_error_is_found_by_its_code() -> None:
    for code in sampled(sorted({row.code.lower() for row in errors.catalogue()}), 4):
        assert ("reference/errors", code) in [(found.page, found.anchor) for found in search(code, 3)]


def test_an_operation_is_found_by_its_name() -> None:
    for endpoint in sampled(ENDPOINTS, 4):
        found = search(endpoint.operation, 3)
        if endpoint.family.public:
            assert found[0].page == f"reference/operations/{endpoint.operation}"
        else:
            assert any(f"`{endpoint.operation}`" in each.excerpt for each in found), found


@cases(
    "words, page",
    ("how do I freeze the clock", "guides/clock"),
    ("webhook retry", "guides/webhooks"),
    ("retries", "guides/retries"),
    ("nonce stuck", "guides/transactions"),
    ("gas spike", "guides/transactions"),
    ("how accurate is it", "fidelity"),
    ("rate limit", "guides/rules"),
    ("create contract", "reference/operations/CreateContract"),
    ("fixture mock_project", "guides/pytest"),
)
def test_the_page_about_some_words_is_among_the_first(words: str, page: str) -> None:
    assert page in [found.page for found in search(words, 3)]


def test_a_finding_names_its_section_and_shows_a_line_of_it() -> None:
    found = search("rate_limited", 1)[0]
    assert read_page(f"{found.page}#{found.anchor}").startswith(f"### `{found.heading}`\n")
    assert "429" in found.excerpt


def test_one_page_does_not_crowd_out_the_others() -> None:
    found = [each.page for each in search("error")]
    assert len(found) == 10
    assert max(map(found.count, found)) <= 2


@cases("words, meant", ("faluts", "faults"), ("CreatContract", "CreateContract"), ("zzzz", None))
def test_what_is_not_found_has_a_suggestion(words: str, meant: str | None) -> None:
    assert search(words) == []
    assert suggest(words) == meant


@cases("words", "", " ", "…", "(", "\\", "a" * 10_000, "word " * 10_000)
def test_any_words_can_be_searched_for(words: str) -> None:
    assert len(search(words)) <= 10


@pytest.fixture(scope="module")
def pack() -> bytes:
    """What a build puts into the package."""
    return compress_sources(collect_sources(ROOT))


def test_an_installed_package_reads_the_same_pages(tmp_path: Path, pack: bytes) -> None:
    shutil.copytree(ROOT / "mockserver" / "manual", tmp_path / "mockserver" / "manual")
    for name in ("__init__.py", "version.py", "kernel/__init__.py", "kernel/spelling.py"):
        (tmp_path / "mockserver" / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "mockserver" / name, tmp_path / "mockserver" / name)
    (tmp_path / "mockserver" / "manual" / PACK).write_bytes(pack)
    script = "import json; from mockserver.manual import pages, read_page; "
    script += "print(json.dumps({page.name: read_page(page.name) for page in pages()}))"
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env={}, capture_output=True, text=True, check=True
    )
    assert json.loads(ran.stdout) == {page.name: read_page(page.name) for page in pages()}


def test_the_pages_are_a_small_part_of_the_package(pack: bytes) -> None:
    assert len(pack) < 250_000


def test_the_skill_is_one_that_agents_load() -> None:
    text = read_page("skill")
    assert (DOCS / "skills" / "mockserver" / "SKILL.md").is_file()
    head = yaml.safe_load(text.split("---\n")[1])
    assert head["name"] == "mockserver"
    assert 0 < len(head["description"]) <= 1024
    assert len(text.splitlines()) < 500


@cases("word", "mockserver serve", "sk_test_", "mock_project", "then: {fault:", "When a test fails")
def test_the_skill_says_what_is_needed_first(word: str) -> None:
    assert word in read_page("skill")
