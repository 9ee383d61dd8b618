"""The options of servers: each is declared once, for the command line, the environment and pyproject.toml."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args
from urllib.parse import urlsplit

from mockserver.kernel import timestamps
from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.launch.streams import warn
from mockserver.server.answering.control_access import (
    ControlAccess,
    read_allowed_host,
    read_allowed_origin,
    read_control_token,
)
from mockserver.server.answering.hosts import host_of
from mockserver.server.answering.limits import RequestLimits

ClockOption = Literal["ticking", "frozen"] | int
"""`ticking` from the real time, `frozen` at the default time, or frozen at Unix milliseconds."""
LogOption = Literal["text", "json", "none"]

_MAX_PORT = 65_535
_INJECTED = re.compile("(?:tcp|udp|sctp)://")
"""How an orchestrator begins the variables by which it links containers: for a service that is called
mockserver, MOCKSERVER_PORT is such a URL."""


class Option(NamedTuple):
    """An option: `--port`, MOCKSERVER_PORT, and `port` in pyproject.toml."""

    name: str
    """The member of the options that it sets, which names its variable and its key, too."""
    help: str
    read: Callable[[str], object] = str
    """What a text means; a ValueError says why it means nothing."""
    metavar: str = "TEXT"
    separator: str = ""
    """What stands between several in a variable; the flag may be repeated then."""
    is_secret: bool = False
    is_flag_only: bool = False
    """Whether a command takes it from its flag only, and leaves variable and key to others."""
    show: Callable[[Any], str] = str
    """A value as people write it."""

    @property
    def variable(self) -> str:
        """The environment variable."""
        return f"MOCKSERVER_{self.name.upper()}"

    @property
    def is_switch(self) -> bool:
        """Whether the command line has its flag alone, without a value."""
        return self.read is read_boolean

    @property
    def long(self) -> str:
        """The flag of the command line, in the singular where it may be repeated."""
        name = self.name.removesuffix("s") if self.separator else self.name
        return f"--{name.replace('_', '-')}"

    def read_text(self, text: str) -> object:
        """The value that a variable has; several are a tuple."""
        if not self.separator:
            return self.read(text)
        # An empty entry, as after a separator at the end, would be the current directory.
        entries = (entry.strip() for entry in text.split(self.separator))
        return tuple(self.read(entry) for entry in entries if entry)


# --- options as text ------------------------------------------------------------------------------------


def read_clock(text: str) -> ClockOption:
    """The clock that a text names. A ValueError says why it names none."""
    if text == "ticking":
        return "ticking"
    if text == "frozen":
        return "frozen"
    return timestamps.parse_clock(text, ("ticking", "frozen"))


def show_clock(clock: ClockOption) -> str:
    """The text of a clock, in UTC."""
    return timestamps.format_iso(clock) if isinstance(clock, int) else clock


def describe_clock(clock: ClockOption) -> str:
    """How the clocks of new projects run."""
    # Imported on first use: most commands need no world.
    from mockserver.state.world import EPOCH_MS

    if clock == "ticking":
        return "ticking from the real time"
    return f"frozen at {timestamps.format_iso(EPOCH_MS if clock == 'frozen' else clock)}"


def read_log(text: str) -> LogOption:
    """The form of a log. A ValueError names those there are."""
    forms = get_args(LogOption)
    for form in forms:
        if text == form:
            return form  # type: ignore[no-any-return]
    hint = did_you_mean(nearest(text, forms)) or f": one of {', '.join(forms)}"
    raise ValueError(f"{text!r} is no log{hint}")


def read_limit(text: str) -> int:
    """The bound that a text names. A ValueError says why it names none."""
    if not re.fullmatch("[1-9][0-9]{0,11}", text):
        raise ValueError(f"{text!r} is no limit: a whole number from 1, of up to 12 digits")
    return int(text)


def read_port(text: str) -> int:
    """A TCP port, or 0 for any. A ValueError says why it is none."""
    if not text.isascii() or not text.isdigit() or int(text) > _MAX_PORT:
        raise ValueError(f"{text!r} is no port: 0 to {_MAX_PORT}")
    return int(text)


def read_seed(text: str) -> str:
    """The seed that a text is. A ValueError says why it is none."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # Python decodes other bytes of arguments and variables as lone surrogates (PEP 383).
        raise ValueError(f"{text!r} is no seed: it is not UTF-8") from None
    return text


def read_boolean(text: str) -> bool:
    """A switch in a variable. A ValueError says why it is none."""
    if text not in ("true", "false"):
        raise ValueError(f"{text!r} is neither true nor false")
    return text == "true"


def read_secret_name(text: str) -> str:
    """The name of a member that is a secret. A ValueError says why it is none."""
    if not re.fullmatch(r"[\w.-]{1,128}", text) or not any(map(str.isalpha, text)):
        raise ValueError(f"{text!r} is no name of a member: letters, digits, dots, hyphens and underscores")
    return text


def read_url(text: str) -> str:
    """The URL of a server. A ValueError says why it is none."""
    if "@" in text:
        # It is not repeated: what stands there may be a password.
        raise ValueError("a URL of a server, such as http://127.0.0.1:4242, has no user and no password")
    # The port is read on access; a ValueError says what is wrong with it.
    if not re.fullmatch(r"https?://[^/?#\s]+/?", text) or urlsplit(text).port == 0:
        raise ValueError(f"{text!r} is no URL of a server, such as http://127.0.0.1:4242")
    return text


def read_tls_host(text: str) -> str:
    """A host name or an address of a certificate. A ValueError says why it is none."""
    if not host_of(f"[{text}]" if text.count(":") > 1 else text) or "/" in text:
        raise ValueError(f"{text!r} is neither a host name nor an address")
    return text


# --- the options ----------------------------------------------------------------------------------------

LIMITS = tuple(member.name for member in fields(RequestLimits))
"""The names of the limits, as options of the command line and variables have them, too."""

APP_OPTIONS: tuple[Option, ...] = (
    Option(
        "scenarios",
        "a scenario for the default project, or a directory of them, instead of the one that comes with the"
        " package",
        Path,
        "FILE",
        separator=os.pathsep,
    ),
    Option("seed", "seed of all randomness", read_seed),
    Option(
        "clock",
        "ticking, frozen, or a time to be frozen at, such as 2026-01-31T12:00:00Z",
        read_clock,
        "CLOCK",
        show=show_clock,
    ),
    Option("strict_keys", "reject test keys that are not declared", read_boolean),
    Option("log", "a line a request, on stderr: text, json or none", read_log, "FORM"),
    Option(
        "control_token",
        "what X-Mockserver-Token has to be in requests to the control API; one is drawn if --host is not"
        " loopback",
        read_control_token,
        is_secret=True,
    ),
    Option(
        "allowed_hosts",
        "a host name, besides localhost, that the control API answers to",
        read_allowed_host,
        "NAME",
        separator=",",
    ),
    Option(
        "allowed_origins",
        "the origin of web pages that may use the control API",
        read_allowed_origin,
        "ORIGIN",
        separator=",",
    ),
    Option(
        "secret_names",
        "a name of members, headers and parameters that are secrets, besides those that are known",
        read_secret_name,
        "NAME",
        separator=",",
    ),
    Option(
        "open_projects",
        "how many projects of undeclared keys are held as they are; others are packed",
        read_limit,
        "N",
    ),
    Option(
        "otel",
        "export a span a call and metrics by OpenTelemetry, to what the variables OTEL_* name",
        read_boolean,
    ),
    Option("journal_bytes", "how many bytes the journals of all projects take together", read_limit, "N"),
    Option("max_body_bytes", "the largest body of a request", read_limit, "N"),
    Option("max_header_bytes", "the most that the headers of a request take together", read_limit, "N"),
    Option("max_headers", "the most headers of a request", read_limit, "N"),
    Option("max_url_bytes", "the longest path and query", read_limit, "N"),
)
"""The options of `create_app` and of every command that starts a server."""

HOST = Option("host", "the address to listen on", metavar="HOST")
PORT = Option("port", "the port to listen on; 0 takes a free one", read_port, "PORT")
FREE_PORT = PORT._replace(is_flag_only=True)
"""Of commands that run beside a server, and beside each other: the port of a project is that of `serve`."""

TLS_OPTIONS: tuple[Option, ...] = (
    Option("tls", "answer HTTPS, by a certificate of this machine's own authority", read_boolean),
    Option(
        "tls_hosts",
        "a name or an address of the certificate, besides localhost, 127.0.0.1 and ::1",
        read_tls_host,
        "NAME",
        separator=",",
    ),
)
RECORD = Option("record", "record every call in a file, which `replay` plays back", Path, "FILE")
STATE = Option("state", "a recording, or the state of a project: begin with the projects in it", Path, "FILE")
SERVE_OPTIONS: tuple[Option, ...] = (
    HOST,
    PORT,
    *TLS_OPTIONS,
    Option(
        "watch",
        "load scenario files anew when they change; the default project then begins anew",
        read_boolean,
    ),
    Option("ready_file", "a JSON file to write when requests are answered", Path, "PATH"),
    RECORD,
    Option("mask", "put placeholders for secrets into the recording", read_boolean),
    STATE,
    Option(
        "replay_missing",
        "a recording of the real service: it answers what no operation of the mock does",
        Path,
        "FILE",
    ),
    Option(
        "hand_over",
        "the balancer of a fleet, by which projects go to other servers when a signal ends this one",
        read_url,
        "URL",
    ),
)
"""The options of `serve` beside those of `create_app`."""

_PREFIX = "MOCKSERVER_"
_OF_CLIENTS = ("MOCKSERVER_URL", "MOCKSERVER_RECORD_TESTS", "MOCKSERVER_COMMAND")
_VARIABLES = (*(option.variable for option in (*APP_OPTIONS, *SERVE_OPTIONS)), *_OF_CLIENTS)
"""The environment variables of servers and of clients."""
_LINKED = re.compile(r"(?:\w+_)?(?:SERVICE_(?:HOST|PORT)|PORT_\d+_(?:TCP|UDP|SCTP))(?:_\w+)?")
"""What follows in the variables that orchestrators set for a service that is called mockserver."""


def find_unknown_variables() -> Iterator[str]:
    """What is wrong with each variable that looks like an option, and is none."""
    for name, text in os.environ.items():
        rest = name.removeprefix(_PREFIX)
        if rest == name or name in _VARIABLES or _INJECTED.match(text) or _LINKED.fullmatch(rest):
            continue
        near = nearest(rest, (known.removeprefix(_PREFIX) for known in _VARIABLES))
        yield f"{name} is not taken: no option has this variable{did_you_mean(near and _PREFIX + near)}"


def nest(values: Mapping[str, Any]) -> dict[str, Any]:
    """The members of the options of a server, from values by the names of options."""
    members = dict(values)
    limits = {name: members.pop(name) for name in LIMITS if name in members}
    access = {
        "token": members.pop("control_token", None),
        "allowed_hosts": frozenset(members.pop("allowed_hosts", ())),
        "allowed_origins": frozenset(members.pop("allowed_origins", ())),
    }
    return members | {"limits": RequestLimits(**limits), "control": ControlAccess(**access)}


def read_variables(options: Iterable[Option]) -> dict[str, Any]:
    """What variables set, by the names of options. A ValueError names the variable that cannot be read."""
    found: dict[str, Any] = {}
    for option in options:
        text = os.environ.get(option.variable)
        if not text:
            continue
        if _INJECTED.match(text):
            warn(f"warning: {option.variable}={text} is not taken: orchestrators set it for a linked service")
            continue
        try:
            found[option.name] = option.read_text(text)
        except ValueError as error:
            raise ValueError(f"{option.variable}: {error}") from None
    return found
