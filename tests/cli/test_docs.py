"""`mockserver docs`: the documentation without a network."""

import pytest

from mockserver import cli
from tests.tables import cases


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = cli.main(["docs", *words])
    return code, *capsys.readouterr()


def test_without_words_the_pages_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys)
    assert code == 0
    assert "guides/clock                How do I test what takes hours?\n" in out
    assert "reference/operations/" not in out


@cases("word, start", ("faults", "# Faults\n"), ("errors#rate_limited", "### `rate_limited`\n"))
def test_a_page_or_a_section_is_printed(capsys: pytest.CaptureFixture[str], word: str, start: str) -> None:
    code, out, _ = run(capsys, word)
    assert code == 0
    assert out.startswith(start)


@cases("words", ("freeze", "the", "clock"), ("--search", "clock"), ("idempotency",))
def test_other_words_are_searched_for(capsys: pytest.CaptureFixture[str], words: tuple[str, ...]) -> None:
    code, out, _ = run(capsys, *words)
    assert code == 0
    name, excerpt, *_ = out.splitlines()
    assert excerpt.startswith("    ")
    assert run(capsys, name)[1].startswith("#")


@cases(
    "word, told",
    ("faluts", "nothing has the words 'faluts' (did you mean faults?)"),
    ("guides/fualts", "'fualts' is not a page of the documentation (did you mean faults?)"),
)
def test_what_is_not_there_is_1_and_says_what_is_near(
    capsys: pytest.CaptureFixture[str], word: str, told: str
) -> None:
    assert run(capsys, word) == (1, "", f"mockserver: {told}\n")
