"""`mockserver probe`."""

import argparse
import os

from mockserver.cli.parser import Parser
from mockserver.launch.streams import complain

EXAMPLE = "mockserver probe webhook http://127.0.0.1:3000/webhooks"
EXIT_CODES = {"0": "the handler takes everything rightly", "1": "it does not", "3": "it cannot be tried"}
_VARIABLE = "OPENFORT_WEBHOOK_SECRET"


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_argument("what", choices=["webhook"], metavar="webhook", help="a handler of webhooks")
    parser.add_argument("url", metavar="URL", help="where it takes them")
    parser.add_argument("--key", metavar="KEY", help=f"what deliveries are signed with ({_VARIABLE})")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.exploring.probe import lines_of, probe

    key: str = options.key or os.environ.get(_VARIABLE, "")
    if not key:
        options.parser.error(f"--key or {_VARIABLE} is needed: the key that the handler verifies with")
    try:
        trials = probe(options.url, key)
    except ValueError as error:
        complain(str(error))
        return 3
    print("\n".join(lines_of(trials)))
    return int(not all(trial.is_right for trial in trials))
