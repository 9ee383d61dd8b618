"""`mockserver keys`."""

import argparse

from mockserver.cli.parser import Parser
from mockserver.launch.application import DEFAULT_PROJECT, AppOptions, build_app
from mockserver.launch.options import APP_OPTIONS

EXAMPLE = "mockserver keys wallet_secret"
EXIT_CODES = {"0": "they are printed"}
NAMES = (
    "secret_key",
    "publishable_key",
    "live_secret_key",
    "live_publishable_key",
    "wallet_secret",
    "import_key",
)


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_argument("name", nargs="?", choices=NAMES, metavar="NAME", help="print only this one's value")
    seed = next(option for option in APP_OPTIONS if option.name == "seed")
    parser.add_options((seed,), AppOptions())


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    keys = read_keys(options.parser.choose(options)["seed"].value)
    if options.name:
        print(keys[options.name])
    else:
        print("\n".join(f"{name:<20}  {value}" for name, value in keys.items()))
    return 0


def read_keys(seed: str) -> dict[str, str]:
    """The keys of a server with a seed, without its scenarios."""
    from mockserver.crypto.sealing import import_public_der
    from mockserver.domain.wallets.wallet_secrets import default_secret

    world = build_app(AppOptions(seed=seed)).pipeline.world
    project = world.key(f"sk_test_{DEFAULT_PROJECT}").project
    live = world.key(f"sk_live_{DEFAULT_PROJECT}").project
    values = (
        project.secret_key,
        project.publishable_key,
        live.secret_key,
        live.publishable_key,
        default_secret(project),
        import_public_der(),
    )
    return dict(zip(NAMES, values, strict=True))
