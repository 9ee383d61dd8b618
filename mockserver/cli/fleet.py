"""`mockserver fleet`."""

import argparse
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from mockserver.cli.parser import Parser, shown
from mockserver.launch.options import Option, read_limit, read_url
from mockserver.launch.serve import ServeOptions
from mockserver.launch.streams import paint

if TYPE_CHECKING:
    from mockserver.replay.connection import Asked

EXAMPLE = "mockserver fleet check http://127.0.0.1:4242"
EXIT_CODES = {"0": "it does", "1": "it does not", "3": "what answers there is no fleet"}

_TOKEN = Option("control_token", "the control token of the servers", is_secret=True)
_PROJECTS = 16
"""A wrong balancer in front of two servers is right about so many once in 65,536 times."""
_SIGN_UP = {"email": "ada@example.com", "password": "correct horse battery", "name": "Ada"}


class Probe(NamedTuple):
    """A request that only the server of a project answers as it should."""

    named_by: str
    """What it names the project by."""
    expected: str
    """What is in the answer, or in the address to which it leads."""
    path: str = "/_mock/projects/-"
    headers: Mapping[str, str] = {}


Send = Callable[..., "Asked"]
"""Asks the fleet one thing by method, path, headers and body, each time on a connection of its own."""


def add_arguments(parser: Parser) -> None:
    """See `Command`."""
    parser.add_argument("action", choices=["check"], metavar="check", help="make projects, and look for them")
    parser.add_argument("url", type=shown(read_url), metavar="URL", help="where the balancer is")
    parser.add_argument(
        "--projects",
        type=shown(read_limit),
        default=_PROJECTS,
        metavar="N",
        help="how many are made, and deleted again (%(default)s)",
    )
    parser.add_options((_TOKEN,), ServeOptions())


def run(options: argparse.Namespace) -> int:
    """See `Command`."""
    from mockserver.replay.connection import complaining_of

    token = options.parser.choose(options)["control_token"].value
    strayed: Mapping[str, int] = {}
    with complaining_of(options.url, "fleet"):
        strayed = check(options.url, token, options.projects)
    for named_by, count in strayed.items():
        level, colour = ("wrong", "red") if count else ("ok", "green")
        said = f"went to another server for {count} of {options.projects} projects" if count else ""
        print(f"{paint(f'{level:<8}', colour)}{named_by:<32}{said}".rstrip())
    return 3 if not strayed else 1 if any(strayed.values()) else 0


def check(url: str, control_token: str | None, count: int) -> Mapping[str, int]:
    """For how many projects a request went to another server, by what it names its project by."""
    from mockserver.replay.connection import ask
    from mockserver.server.answering.control_token import TOKEN_HEADER, draw_control_token

    def send(method: str, path: str, headers: Mapping[str, str] = {}, given: Any = None) -> "Asked":
        return ask(url, method, path, {TOKEN_HEADER: control_token or "none", **headers}, given)

    strayed: Counter[str] = Counter()
    for number in range(count):
        # Every other one has a name that is drawn.
        named = {} if number % 2 else {"name": f"fleet-check-{draw_control_token()}"}
        made = send("POST", "/_mock/projects", given=named)
        if made.status >= 400:
            raise OSError(f"it makes no project, and answers {made.status}")
        project = made.json()
        for probe in (*_probes_of_keys(send, project), *_probes_of_user(send, project)):
            answer = send("GET", probe.path, probe.headers)
            is_found = probe.expected in answer.text + answer.headers.get("location", "")
            strayed[probe.named_by] += not (is_found and answer.status < 400)
        send("DELETE", f"/_mock/projects/{project['id']}")
    return strayed


def _probes_of_keys(send: Send, project: Mapping[str, str]) -> Iterator[Probe]:
    from base64 import b64encode

    # The first use of a key opens a project of the same id elsewhere, but an undeclared one.
    secret, publishable, expected = project["secret_key"], project["publishable_key"], '"declared":true'
    basic = b64encode(f"{secret}:".encode()).decode()
    yield Probe("secret key", expected, headers={"authorization": f"Bearer {secret}"})
    yield Probe("secret key, basic", expected, headers={"authorization": f"Basic {basic}"})
    yield Probe("x-api-key", expected, headers={"x-api-key": secret})
    yield Probe("x-project-key", expected, headers={"x-project-key": publishable})
    yield Probe("id in a path", expected, f"/_mock/projects/{project['id']}")
    # Any server answers these, so the journal shows which one did.
    node, frame = f"/_mock/projects/{publishable}/chains/84532/rpc", f"/_mock/embedded/iframe/{publishable}"
    send("POST", node, given={"jsonrpc": "2.0", "id": 1, "method": "eth_chainId"})
    send("GET", frame)
    journal = f"/_mock/projects/{project['id']}/journal"
    yield Probe("key in the path of a node", node, journal)
    yield Probe("key in the path of a frame", frame, journal)


def _probes_of_user(send: Send, project: Mapping[str, str]) -> Iterator[Probe]:
    key = {"x-project-key": project["publishable_key"]}
    entered = send("POST", "/iam/v2/auth/sign-up/email", key, _SIGN_UP)
    token = _member(entered, "token")
    session = {**key, "authorization": f"Bearer {token}"}
    access_token = send("GET", "/iam/v2/auth/get-session", session).headers.get("set-auth-jwt", "none")
    yield Probe("session token", project["id"], headers={"authorization": f"Bearer {token}"})
    yield Probe("access token", project["id"], headers={"authorization": f"Bearer {access_token}"})
    cookie = {"cookie": f"better-auth.session_token={entered.headers.get('set-auth-token', 'none')}"}
    yield Probe("session cookie", _SIGN_UP["email"], "/iam/v2/auth/get-session", cookie)
    forgotten = {"email": _SIGN_UP["email"], "redirectTo": "/"}
    send("POST", "/iam/v2/auth/request-password-reset", key, forgotten)
    mails = send("GET", "/_mock/projects/-/outbox?kind=reset-password", key).json()
    link = mails["data"][0]["url"] if mails.get("data") else "/none"
    yield Probe("mailed link", "token=", urlsplit(link)._replace(scheme="", netloc="").geturl())
    asked = {"provider": "google", "callbackURL": "/"}
    consent = _member(send("POST", "/iam/v2/auth/sign-in/social", key, asked), "url")
    state = consent.partition("state=")[2].partition("&")[0]
    callback = f"/iam/v2/auth/callback/google?state={state}&error=access_denied"
    yield Probe("state of a provider's callback", "access_denied", callback)


def _member(answer: "Asked", name: str) -> str:
    """A text of an answer; of an error another one, which no server issued."""
    found: Any = answer.json()
    return str(found.get(name, "none")) if isinstance(found, dict) else "none"
