"""`mockserver explore`."""

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.cli.parser import Parser, shown
from mockserver.cli.shrink import read_span
from mockserver.launch.options import read_limit
from mockserver.launch.streams import complain

if TYPE_CHECKING:
    from mockserver.exploring.judging import Judgement

EXAMPLE = "mockserver explore -- npm test"
EXIT_CODES = {
    "0": "every failure that was tried is noticed or survived",
    "1": "there are findings",
    "3": "the command cannot be explored",
}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    add = parser.add_argument
    add("--budget", default=60_000, type=shown(read_span), metavar="TIME", help="how long to try (60s)")
    add(
        "--out",
        type=Path,
        default=Path(".mockserver/explore"),
        metavar="DIR",
        help="where findings go (%(default)s)",
    )
    add(
        "--jobs",
        type=shown(read_limit),
        default=1,
        metavar="N",
        help="how many runs go on at once (%(default)s)",
    )
    add("--check", type=Path, metavar="FILE", help="try the failure of a finding only")
    add("--since", metavar="REV", help="leave out what has not changed since this revision")
    add("--noticed", action="append", default=[], metavar="NAME", help="an exception of the command's own")
    parser.add_command("the command and its arguments")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    command: list[str] = options.parser.read_command(options)
    if "pytest" in Path(command[0]).name or command[1:3] == ["-m", "pytest"]:
        if options.noticed:
            options.parser.error("--noticed: pytest reads such names from its own option mockserver_noticed")
        if options.jobs > 1:
            options.parser.error("--jobs: pytest explores its tests in its own process, one after the other")
        return _run_pytest(command, options)
    known = _read_known(command, options) if options.since is not None else {}
    from mockserver.exploring.commands import CannotExplore, Settings, check, explore
    from mockserver.exploring.judging import FINDINGS
    from mockserver.exploring.report import Result, lines_of, trial_of

    def tell(result: Result, number: int, total: int) -> None:
        print(f"{number} of {total}: {result.judgement.verdict}: {result.trial.id}", file=sys.stderr)

    settings = Settings(
        command, options.budget / 1000, options.out, options.jobs, frozenset(options.noticed), known, tell
    )
    try:
        if options.check is None:
            results, untried = explore(settings)
        else:
            results, untried = [check(settings, trial_of(options.check))], 0
    except (CannotExplore, OSError, ValueError) as error:
        complain(error)
        return 3
    print("\n".join(lines_of(results, untried)))
    return int(any(each.judgement.verdict in FINDINGS for each in results))


def _read_known(command: list[str], options: argparse.Namespace) -> "Mapping[str, Judgement]":
    """What the report of an earlier run says that still holds: all of it, if no file has changed."""
    from mockserver.exploring.changed import find_changed
    from mockserver.exploring.report import read_known

    try:
        found = find_changed(Path.cwd(), options.since)
    except ValueError as error:
        options.parser.error(f"--since: {error}")
    out = options.out.resolve()
    changed = sorted(file for file in found if not file.resolve().is_relative_to(out))
    if not changed:
        return read_known(options.out, command)
    # Which of its files a command reads cannot be seen.
    name = changed[0].relative_to(Path.cwd())
    print(f"{name} has changed since {options.since}: every failure is tried", file=sys.stderr)
    return {}


def _run_pytest(command: list[str], options: argparse.Namespace) -> int:
    """Let pytest explore its tests in its own process, which is faster."""
    given = [f"--mockserver-explore={options.budget / 1000:g}", f"--mockserver-explore-dir={options.out}"]
    if options.since is not None:
        given.append(f"--mockserver-explore-since={options.since}")
    if options.check is not None:
        given = [f"--mockserver-explore-check={options.check}"]
    sys.stdout.flush()
    os.execvp(command[0], [*command, *given])
