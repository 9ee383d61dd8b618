"""`mockserver lint`."""

import argparse

from mockserver.cli.parser import Parser
from mockserver.launch.streams import complain

EXAMPLE = "mockserver lint .mockserver/recordings/*.jsonl"
EXIT_CODES = {"0": "nothing to mend", "1": "there are findings", "3": "a recording cannot be read"}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_files("a recording of what a client asked")
    parser.add_argument(
        "--ignore", action="append", default=[], metavar="RULE", help="leave out the findings of a rule"
    )
    parser.add_argument(
        "--errors", action="store_true", help="show which errors of the operations were met, too"
    )


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.exploring.lint import Finding, lines_of, lint
    from mockserver.exploring.recorded import read_projects
    from mockserver.server.assembly import ROUTES
    from mockserver.server.control.history.coverage import ErrorCoverage

    found: list[Finding] = []
    coverage = ErrorCoverage(ROUTES.by_operation)
    try:
        for file in options.file:
            for name, entries, met in read_projects(file):
                coverage.add(met)
                found += lint(name, entries, options.ignore)
    except (OSError, ValueError) as error:
        complain(error)
        return 3
    print("\n".join([*lines_of(found), *(coverage.lines() if options.errors else ())]))
    return int(bool(found))
