"""`mockserver docs`."""

import argparse

from mockserver.cli.parser import Parser
from mockserver.kernel.spelling import did_you_mean, quote
from mockserver.launch.streams import complain

EXAMPLE = "mockserver docs advance the clock"
EXIT_CODES = {"0": "it is printed", "1": "there is no such page, or nothing has these words"}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_argument(
        "word",
        nargs="*",
        metavar="WORD",
        help="a page or a section, printed as Markdown: faults, CreateContract, errors#rate_limited; or "
        "words to search for; without any, all pages are listed",
    )
    parser.add_argument("--search", action="store_true", help="search, also for the name of a page")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.manual import find_page, read_page

    words = " ".join(options.word)
    try:
        if not words:
            _list_pages()
        elif not options.search and (any(mark in words for mark in "#/") or find_page(words)):
            print(read_page(words), end="")
        else:
            return _search(words)
    except LookupError as error:
        complain(error)
        return 1
    return 0


def _list_pages() -> None:
    from mockserver.manual import pages

    for page in pages():
        if not page.is_operation:
            print(f"{page.name:<27} {page.summary}")
    print("\nEach operation has a page of its name; the page `operations` lists them.")


def _search(words: str) -> int:
    from mockserver.manual import search, suggest

    found = search(words)
    for each in found:
        print(f"{each.page}#{each.anchor}\n    {each.excerpt}")
    if not found:
        complain(f"nothing has the words {quote(words)}{did_you_mean(suggest(words))}")
    return int(not found)
