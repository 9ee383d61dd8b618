"""`mockserver collection`."""

import argparse
import sys
from pathlib import Path

from mockserver.cli.parser import Parser
from mockserver.launch.streams import complain

EXAMPLE = "mockserver collection --to postman --out mockserver.postman_collection.json"
EXIT_CODES = {"3": "the file or the directory cannot be written"}
_URL = "http://127.0.0.1:4242"


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    add = parser.add_argument
    add("--to", required=True, choices=("postman", "bruno", "http"), help="what to write")
    add("--out", type=Path, metavar="PATH", help="the file (standard output), or for Bruno the directory")
    add("--url", default=_URL, metavar="URL", help="where the server is (%(default)s)")
    add("--seed", metavar="TEXT", help="the seed of the server, if it was given one")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.request_collections.tour import default_values, read_tour

    tour = read_tour()
    values = default_values(tour, options.url.rstrip("/"), options.seed)
    if options.to == "bruno":
        from mockserver.request_collections.bruno import to_bruno

        if options.out is None:
            options.parser.error("--out is required: a Bruno collection is a directory")
        return _write({options.out / name: text for name, text in to_bruno(tour, values).items()})
    if options.to == "postman":
        from mockserver.request_collections.postman import to_postman as convert
    else:
        from mockserver.request_collections.http_file import to_http as convert
    text = convert(tour, values)
    if options.out is None:
        sys.stdout.write(text)
        return 0
    return _write({options.out: text})


def _write(files: dict[Path, str]) -> int:
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    except OSError as error:
        complain(error)
        return 3
    return 0
