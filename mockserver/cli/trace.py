"""`mockserver trace`."""

import argparse
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

from mockserver.cli.parser import Parser, shown
from mockserver.kernel.spelling import printable
from mockserver.launch.options import Option, read_url
from mockserver.launch.serve import ServeOptions
from mockserver.launch.streams import complain, paint
from mockserver.state.api_keys import ApiKey

EXAMPLE = "mockserver trace tin_0123 --key sk_test_default"
EXIT_CODES = {"0": "it is shown", "3": "there is no such transaction, or no server"}

_TOKEN = Option("control_token", "the control token of the server", is_secret=True)
_URL = "http://127.0.0.1:4242"


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_argument("transaction", metavar="ID", help="the transaction, `tin_...` or its hash")
    parser.add_argument(
        "--url", type=shown(read_url), default=_URL, metavar="URL", help="where the server is (%(default)s)"
    )
    parser.add_argument(
        "--key",
        type=shown(ApiKey.parse),
        default="sk_test_default",
        metavar="KEY",
        help="a key of the project (%(default)s)",
    )
    parser.add_options((_TOKEN,), ServeOptions())


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.replay.connection import ask, complaining_of
    from mockserver.server.answering.control_token import TOKEN_HEADER

    token = options.parser.choose(options)["control_token"].value
    headers = {"authorization": f"Bearer {options.key.text}", TOKEN_HEADER: token or "none"}
    path = f"/_mock/projects/-/transactions/{quote(options.transaction, safe='')}/trace"
    lines: list[str] = []
    with complaining_of(options.url, "mock server"):
        answer = ask(options.url, "GET", path, headers)
        found = answer.json()
        if answer.status >= 400:
            complain(found["detail"])
            return 3
        lines = [*describe(found)]
    for line in lines:
        print(line)
    return 0 if lines else 3


def describe(trace: Mapping[str, Any]) -> Iterator[str]:
    """The calls of a trace as a tree, and where it failed."""
    for call in trace["calls"]:
        mark = paint(printable(f" {call['error']}"), "red") if call["error"] else ""
        value = f" {call['value_wei']} wei" if call["value_wei"] != "0" else ""
        made = printable(f"{call['kind']} {call['call']}{value}")
        yield f"{'  ' * call['depth']}{made} [{call['gas_used']:,} gas]{mark}"
    if not trace["calls"]:
        yield "no code was executed"
    if trace["failure"]:
        yield paint(printable(trace["failure"]), "red")
