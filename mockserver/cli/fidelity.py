"""`mockserver fidelity`."""

import argparse
import json
from textwrap import indent

from mockserver.cli.parser import Parser, hint
from mockserver.kernel.spelling import quote

EXAMPLE = "mockserver fidelity CreateTransaction"
EXIT_CODES = {"0": "it is printed"}


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="an operation, a setting, a fault, an error, a lifecycle or the id of a line; without one: "
        "what is about all operations",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.fidelity.ledger import read_ledger
    from mockserver.server.assembly import ROUTES

    ledger, name = read_ledger(), options.name
    public = {operation: one for operation, one in ROUTES.by_operation.items() if one.family.public}
    endpoint = public.get(name)
    if name is None:
        statements = [each for each in ledger.statements if not each.operations]
    elif endpoint is not None:
        statements = ledger.about(name, endpoint.tag)
    else:
        known = _names()
        kinds = [kind for kind, names in known.items() if name in names]
        statements = [
            each
            for each in ledger.statements
            if each.id == name or any(each.names(kind, name) for kind in kinds)
        ]
        if not statements:
            choices = {*public, *(each.id for each in ledger.statements)}.union(*known.values())
            options.parser.error(f"the ledger has no {quote(name)}{hint(name, sorted(choices))}")
    if options.json:
        lines = [{"id": each.id, "kind": each.kind, "says": each.says} for each in statements]
        about = {} if endpoint is None else ledger.to_json(name, endpoint.tag)
        print(json.dumps({**about, "statements": lines}))
        return 0
    if endpoint is not None:
        shown = ", ".join(map(str, ledger.shown(name))) or "nothing"
        print(f"{name} ({endpoint.method} {endpoint.path})\nlast shown against: {shown}\n")
    shown_lines = (
        f"{each.id} ({each.kind}; {each.source})\n{indent(each.says, '  ')}" for each in statements
    )
    print("\n\n".join(shown_lines))
    return 0


def _names() -> dict[str, set[str]]:
    """What a line may be about beside operations, by kind."""
    from mockserver.errors import catalogue
    from mockserver.fidelity.ledger import read_ledger
    from mockserver.scenario.grammar.faults import FaultSpec

    statements = list(read_ledger().statements)
    return {
        "errors": {row.code for row in catalogue() if not row.mock_only},
        "faults": set(FaultSpec.__annotations__),
        **{
            kind: {name for each in statements for name in getattr(each, kind)}
            for kind in ("settings", "lifecycles", "members")
        },
    }
