"""`mockserver doctor`."""

import argparse
import json
import os
import socket
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, NamedTuple

from mockserver.cli.healthcheck import ask
from mockserver.cli.parser import Parser
from mockserver.launch.application import reason_of
from mockserver.launch.options import (
    APP_OPTIONS,
    SERVE_OPTIONS,
    ClockOption,
    describe_clock,
    find_unknown_variables,
)
from mockserver.launch.serve import ServeOptions
from mockserver.launch.sources import Chosen
from mockserver.launch.streams import paint

EXAMPLE = "mockserver doctor --port 5000"
EXIT_CODES = {"0": "nothing is wrong", "1": "something is"}

Level = Literal["ok", "warning", "wrong"]
_COLOURS = {"ok": "green", "warning": "yellow", "wrong": "red"}
_PACKAGES = ("uvicorn", "starlette", "pydantic", "cryptography", "httpx")
_RENEWAL_DAYS = 30


class Finding(NamedTuple):
    """What was looked at, and what it is."""

    level: Level
    subject: str
    text: str


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_options((*SERVE_OPTIONS, *APP_OPTIONS), ServeOptions())


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    chosen: dict[str, Chosen] = options.parser.choose(options)
    findings = list(examine(chosen))
    for finding in findings:
        print(f"{paint(f'{finding.level:<8}', _COLOURS[finding.level])}{finding.subject:<12} {finding.text}")
    return 1 if any(finding.level == "wrong" for finding in findings) else 0


def examine(chosen: dict[str, Chosen]) -> Iterator[Finding]:
    """Everything that is looked at, in the order in which it is shown."""
    for name, each in chosen.items():
        if each.source:
            yield Finding("ok", name, str(each))
    for unknown in find_unknown_variables():
        yield Finding("warning", "variable", unknown)
    yield _port(chosen["host"].value, chosen["port"].value, tls=chosen["tls"].value)
    yield from _keys()
    yield _clock(chosen["clock"].value)
    yield _certificate(chosen["tls_hosts"].value)
    yield Finding("ok", "python", f"{sys.version.split()[0]}, {', '.join(map(_package, _PACKAGES))}")
    yield _curve()
    yield from _clients(Path())


def _port(host: str, port: int, *, tls: bool) -> Finding:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.create_server((host, port), family=family):
            return Finding("ok", "port", f"{port} is free")
    except OSError as error:
        reason = reason_of(error)
    try:
        ask(host, port, tls=tls)
    except OSError:
        return Finding("wrong", "port", f"cannot listen on {host}:{port}: {reason}")
    except ValueError:
        return Finding("wrong", "port", f"another program answers at {host}:{port}")
    return Finding("warning", "port", f"a server answers at {host}:{port} already")


def _keys() -> Iterator[Finding]:
    from mockserver.state.api_keys import ApiKey

    names = ("OPENFORT_SECRET_KEY", "OPENFORT_API_KEY", "OPENFORT_PUBLISHABLE_KEY")
    given = {name: os.environ[name] for name in names if os.environ.get(name)}
    if not given:
        yield Finding("ok", "key", "no variable of the official clients is set; `exec` sets them")
    for name, text in given.items():
        try:
            key = ApiKey.parse(text)
        except ValueError as error:
            yield Finding("wrong", "key", f"{name}: {error}")
            continue
        is_safe = not key.livemode or "OPENFORT_BASE_URL" in os.environ
        said = "is well-formed" if is_safe else "is a live key, and OPENFORT_BASE_URL does not lead here"
        yield Finding("ok" if is_safe else "warning", "key", f"{name} {said}")


def _clock(clock: ClockOption) -> Finding:
    text = describe_clock(clock)
    if clock == "ticking":
        return Finding("ok", "clock", text)
    text += ": libraries that compare tokens with the real time find them expired"
    return Finding("warning", "clock", text)


def _certificate(names: Sequence[str]) -> Finding:
    from mockserver.launch.certificates import authority_folder, find_open_folder, read_authority
    from mockserver.server.edge.ticker import Ticker

    try:
        folder = authority_folder(names)
    except RuntimeError:
        # Containers that run as a user who is in no list of users.
        return Finding("warning", "certificate", "there is no home directory: --tls needs XDG_STATE_HOME")
    authority = read_authority(folder)
    if authority is None:
        return Finding("ok", "certificate", f"no authority yet; --tls makes one in {folder}")
    if (open_folder := find_open_folder(names)) is not None:
        return Finding("warning", "certificate", f"others can write to {open_folder}")
    end = authority.not_valid_after_utc
    left = (end - datetime.fromtimestamp(Ticker().real_ms() / 1000, UTC)).days
    text = f"{folder / 'authority.crt'}, valid until {end:%Y-%m-%d}"
    return Finding("ok" if left > _RENEWAL_DAYS else "warning", "certificate", text)


def _package(name: str) -> str:
    # Imported on first use: with what it needs it is half of what the other commands import.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"no {name}"


def _curve() -> Finding:
    from mockserver.crypto import libsecp256k1

    if libsecp256k1.is_installed():
        return Finding("ok", "secp256k1", f"by libsecp256k1, {_package('coincurve')}")
    return Finding("ok", "secp256k1", "in plain Python; the extra `fast` signs faster on Python 3.11 to 3.13")


def _clients(directory: Path) -> Iterator[Finding]:
    """The official clients that are installed in a project of npm."""
    for file in sorted(directory.glob("node_modules/@openfort/*/package.json")):
        try:
            package = json.loads(file.read_bytes())
            yield Finding("ok", "client", f"{package['name']} {package['version']}")
        except (OSError, ValueError, KeyError, TypeError):
            yield Finding("warning", "client", f"{file} cannot be read")
