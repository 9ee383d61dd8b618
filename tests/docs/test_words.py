"""Documents, docstrings and messages of errors use the words of the glossary, and none that it rules out."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from mockserver.errors import catalogue

ROOT = Path(__file__).parents[2]
GLOSSARY = ROOT / "docs" / "glossary.md"
# The glossary has to name the words that are not used; what was said of earlier versions stays.
PAGES = sorted(
    {*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("bench/*.md"), *ROOT.glob("scenarios/*.md")}
    - {GLOSSARY, ROOT / "CHANGELOG.md"}
)
MODULES = sorted((ROOT / "mockserver").rglob("*.py"))
_CODE = re.compile(r"^```.*?^```$|`[^`\n]*`|\]\([^)]*\)", re.MULTILINE | re.DOTALL)
_ROW = re.compile(r"^\| (?P<others>[^|]+) \| (?P<word>[^|]+) \|$", re.MULTILINE)


def other_words() -> dict[str, str]:
    """What to write instead, by each word of the glossary's table of words that are not used."""
    section = GLOSSARY.read_text(encoding="utf-8").partition("\n## Words that are not used\n")[2]
    rows = [match for match in _ROW.finditer(section) if match["others"] not in ("Not", "---")]
    return {other.strip(): match["word"] for match in rows for other in match["others"].split(",")}


OTHERS = other_words()
_WRONG = re.compile(rf"\b(?:{'|'.join(map(re.escape, OTHERS))})\b", re.IGNORECASE)


def findings(text: str) -> list[str]:
    """The words of a text that are not used, each with its line and what to write instead."""
    return [
        f"line {text.count(chr(10), 0, match.start()) + 1}: {match[0]}; write {OTHERS[match[0].lower()]}"
        for match in _WRONG.finditer(text)
    ]


def _prose(page: Path) -> str:
    """The text of a page with its code blanked out, so that lines keep their numbers."""
    text = page.read_text(encoding="utf-8")
    return _CODE.sub(lambda code: "\n" * code[0].count("\n"), text)


def _docstrings(module: Path) -> Iterator[str]:
    """Every text that stands for itself: docstrings of modules, classes, functions and members."""
    for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
        match node:
            case ast.Expr(ast.Constant(str(text))):
                yield re.sub(r"`[^`\n]*`", "", text)


def test_the_glossary_names_words_that_are_not_used() -> None:
    assert OTHERS["somebody"]
    assert findings("There is\nSomebody here.") == [f"line 2: Somebody; write {OTHERS['somebody']}"]


def test_pages_use_the_words_of_the_glossary() -> None:
    found = {str(page.relative_to(ROOT)): wrong for page in PAGES if (wrong := findings(_prose(page)))}
    assert found == {}


def test_docstrings_use_the_words_of_the_glossary() -> None:
    found = {
        f"{module.relative_to(ROOT)}: {text[:60]!r}": wrong
        for module in MODULES
        for text in _docstrings(module)
        if (wrong := findings(text))
    }
    assert found == {}


def test_messages_of_errors_use_the_words_of_the_glossary() -> None:
    assert {row.code: wrong for row in catalogue() if (wrong := findings(row.message))} == {}
