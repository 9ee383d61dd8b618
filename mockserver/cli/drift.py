"""`mockserver drift`."""

import argparse
from pathlib import Path
from typing import Any

import orjson

from mockserver.cli.compare import known_of, show_report
from mockserver.cli.parser import Parser
from mockserver.kernel.spelling import shorten
from mockserver.launch.streams import complain

EXAMPLE = "mockserver drift openapi.json openapi-auth.json"
EXIT_CODES = {
    "0": "the mock serves what the documents describe, but for what is known",
    "1": "there are drifts, or known ones that did not occur",
    "3": "a document cannot be read",
}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    add = parser.add_argument
    add("files", type=Path, nargs="+", metavar="OPENAPI", help="a published OpenAPI document")
    add("--known", type=Path, metavar="FILE", help="known deviations, beside those of this version")
    add("--json", action="store_true", help="report as one JSON object")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.upstream.described import Operations, read_document, served_document
    from mockserver.upstream.drifting import compare_documents
    from mockserver.upstream.known import PUBLISHED, read_known

    known = (*known_of(options), *read_known(PUBLISHED))
    published: Operations = {}
    for file in options.files:
        try:
            published |= read_document(_load(file))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            reason = getattr(error, "strerror", None) or _explain(error)
            complain(f"{file}: no OpenAPI document: {shorten(reason)}")
            return 3
    return show_report(compare_documents(published, read_document(served_document()), known), options)


def _explain(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8"
    if isinstance(error, ValueError):
        return str(error)
    return f"a part of it has another form ({type(error).__name__}: {error})"


def _load(file: Path) -> Any:
    """JSON, or YAML."""
    from mockserver.yaml_files import read_yaml

    text = file.read_text(encoding="utf-8")
    try:
        # It refuses what is nested deeply, whatever the limit of recursion is.
        return orjson.loads(text)
    except ValueError:
        return read_yaml(text)
