"""`mockserver serve`."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from mockserver.cli.parser import Parser
from mockserver.launch.application import reason_of
from mockserver.launch.options import APP_OPTIONS, SERVE_OPTIONS, find_unknown_variables, nest
from mockserver.launch.serve import ServeOptions
from mockserver.launch.serve import serve as serve_until_signal
from mockserver.launch.streams import complain, warn

if TYPE_CHECKING:
    from mockserver.server.answering.server import AnswerMissing

EXAMPLE = "mockserver serve --port 0 --ready-file ready.json --scenario scenarios"
_NEEDED = {"tls_hosts": "tls", "mask": "record", "watch": "scenarios"}
"""What an option does nothing without."""
EXIT_CODES = {"0": "a signal ended it", "1": "it cannot start; standard error says why"}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_options((*SERVE_OPTIONS, *APP_OPTIONS), ServeOptions())


def serve_options(options: argparse.Namespace) -> ServeOptions:
    """The options of a server, from parsed arguments and where else options come from."""
    for unknown in find_unknown_variables():
        warn(f"warning: {unknown}")
    chosen = options.parser.choose(options)
    # `exec` has not all of them.
    for name in filter(chosen.__contains__, _NEEDED):
        (option, value, _, source), needed = chosen[name], chosen[_NEEDED[name]]
        # What a file says is for all starts in its project.
        if value and source in (option.long, option.variable) and not needed.value:
            warn(f"warning: {source} does nothing without {needed.option.long}")
    return ServeOptions(**nest({name: each.value for name, each in chosen.items()}))


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    chosen = serve_options(options)
    try:
        answer_missing = None if chosen.replay_missing is None else _read_missing(chosen.replay_missing)
    except (OSError, ValueError) as error:
        complain(f"{chosen.replay_missing}: {reason_of(error)}")
        return 1
    return serve_until_signal(chosen, answer_missing)


def _read_missing(path: Path) -> "AnswerMissing":
    from mockserver.replay.serving.missing import MissingAnswers

    with path.open("rb") as file:
        return MissingAnswers(file).answer
