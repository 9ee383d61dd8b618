"""Tools that are more than a call of the control API: the server, the API's operations, their failures.

Each is a function of a context and of what it takes, which `tools.yaml` says in words.
"""

import json
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, BinaryIO, Literal
from urllib.parse import quote

import httpx
from pydantic import Field

from mockserver.agents.bounds import MOST_BYTES
from mockserver.agents.context import Context, ToolError
from mockserver.api.endpoint import Endpoint
from mockserver.exploring.plan import Trial, paths_of
from mockserver.kernel.spelling import did_you_mean, say_unknown
from mockserver.manual import find_page, read_page, search, suggest
from mockserver.manual.pages import read_sections
from mockserver.replay.command import play
from mockserver.replay.export.command import EXPORTS, ExportOptions, Kind
from mockserver.replay.export.history import CannotExport
from mockserver.replay.player import Player
from mockserver.replay.shrinking.command import make_shrinker, write
from mockserver.replay.shrinking.conditions import BadCondition, NotShown
from mockserver.replay.shrinking.run import Run, read_run
from mockserver.replay.shrinking.shrinker import OutOfTime
from mockserver.replay.targets import InProcess
from mockserver.server.answering.envelopes import find_code, find_message
from mockserver.server.assembly import ENDPOINTS
from mockserver.server.edge.ticker import Ticker
from mockserver.server.recording.loading import read_heads
from mockserver.server.recording.reading import BadRecording, Lines
from mockserver.testing.connection import Entry
from mockserver.testing.project import MockProject
from mockserver.testing.reporting import read_report

_PUBLIC = {each.operation: each for each in ENDPOINTS if each.family.public and not each.family.is_rpc}
_TIMEOUT_S = 60
_MOST_NEXT = 10
_BUDGET_MS = 20_000
_ENVELOPE_BYTES = 1_000
_MOST_SIGN_INS = 100
"""How many of the latest calls that name a user are looked at for their session."""


def start(context: Context, url: str | None = None) -> object:
    """Start a mock server, or use one that runs. The one that is started ends with this session."""
    control = context.start() if url is None else context.find(url)
    return {"url": control.url, "next": "create_project makes a project for a test"}


def list_operations(context: Context, words: str = "") -> object:
    """List the operations of the imitated API that have all the words; without words, all ids by tag.

    read_docs of an id says what it takes.
    """
    wanted, by_tag, found = words.lower().split(), defaultdict(list), {}
    for name, each in _PUBLIC.items():
        by_tag[each.tag].append(name)
        line = f"{each.method} {each.path} ({each.tag}): {each.summary}"
        if all(word in f"{name} {line}".lower() for word in wanted):
            found[name] = line
    return found if wanted else by_tag


def read_docs(context: Context, words: str) -> object:
    """Read the documentation, of an operation for example: what it takes and answers, its errors, what to do.

    Words that name no page or section are searched for: the findings name sections to read.
    """
    try:
        page = read_page(words)
        if len(page.encode()) <= MOST_BYTES:
            return page
        sections = [f"{words}#{each.anchor}" for each in read_sections(page)]
        return {"too_long": "read a section of it", "sections": sections}
    except LookupError as error:
        if find_page(words.partition("#")[0]) is not None:
            raise ToolError(error, "leave the part behind # out, or spell it like that") from None
    found = {f"{each.page}#{each.anchor}": each.excerpt for each in search(words)}
    if not found:
        raise ToolError(f"nothing has these words{did_you_mean(suggest(words))}", "use other words")
    return found


def _require(operation: str) -> Endpoint:
    endpoint = _PUBLIC.get(operation)
    if endpoint is None:
        reason = say_unknown("an operation of the API", operation, _PUBLIC)
        raise ToolError(reason, "list_operations finds operations by words")
    return endpoint


def call_operation(
    context: Context,
    project: MockProject,
    operation: str,
    path: Mapping[str, str] = {},
    query: Mapping[str, Any] = {},
    body: Any = None,
    key: Literal["secret", "publishable"] = "secret",
    user: str | None = None,
) -> object:
    """Call an operation as a client of a project would. The answer is what the journal has of it."""
    endpoint = _require(operation)
    missing = [name for name in endpoint.parameters if name not in path]
    if missing:
        raise ToolError(f"path: {endpoint.path} needs {', '.join(missing)}", "give them in `path`")
    for name, value in path.items():
        if name not in endpoint.parameters:
            reason = say_unknown(f"a part of {endpoint.path}", name, endpoint.parameters)
            raise ToolError(f"path: {reason}", "leave it out, or spell it like that")
        if value in ("", ".", ".."):
            # A client would ask for another path.
            raise ToolError(f"path.{name}: {value!r} cannot be a part of a path", "give an id")
    filled = endpoint.path.format(**{name: quote(value, safe="") for name, value in path.items()})
    before, failure = project.journal.last_number, None
    token = None if user is None else _token_of(project, user)
    is_secret = key == "secret" and token is None
    auth = project.wallet_auth if is_secret and endpoint.access.wallet_auth else None
    with project.connect() if is_secret else context.control.connect(project.headers(token)) as client:
        given: dict[str, Any] = {"params": query, "json": body, "auth": auth}
        try:
            client.request(endpoint.method, filled, timeout=_TIMEOUT_S, **given)
        except httpx.TransportError as error:
            failure = type(error).__name__
    found = project.journal.list(operation=endpoint.operation, since=before, limit=1)
    if not found:
        raise ToolError(f"the journal has nothing of it: {failure}", "read_journal lists the calls")
    return {"client_got": failure or f"status {found[0]['status']}", **found[0]}


def _token_of(project: MockProject, user: str) -> str:
    """The session of the latest call that signed a user in, which no answer of a tool shows."""
    asked = {"text": user, "order": "desc", "unmasked": True, "limit": _MOST_SIGN_INS}
    for exchange in project.call("GET", "/journal", params=asked)["data"]:
        match exchange["response"]:
            case {"body": {"token": str(token), "user": {"id": user_id, **more}}}:
                if user in (user_id, more.get("email")):
                    return token
    raise ToolError(f"no call has signed in {user!r}", "sign them in by call_operation, without `user`")


def explain_call(
    context: Context, project: MockProject, n: Annotated[int, Field(ge=1)] | None = None
) -> object:
    """Explain why a call failed: the error, the rule that decided, what nearly matched, what to do next."""
    if n is None:
        latest = {"failed": True, "order": "desc", "limit": 1}
        failed = project.call("GET", "/journal", params=latest)["data"]
        if not failed:
            # What had no key of a project is in no journal, and may be what failed.
            if found := read_report(project, sections=["errors"])["sections"]:
                reason = f"no call of this project has failed, but there was\n{found[0]['lines'][-1].strip()}"
                then = "give the code under test the environment variables that create_project answered"
                raise ToolError(reason, then)
            raise ToolError("no call of this project has failed", "read_journal lists all calls")
        n = int(failed[0]["n"])
    entry: Entry = project.call("GET", f"/journal/{n}")
    why, then = _explain(entry)
    misses = [] if entry["rule"] else project.near_misses(n)[:3]
    return {"why": why, "next": then, "near_misses": misses, "call": entry}


def _explain(entry: Entry) -> tuple[str, str]:
    """Why a call was answered as it was, and what to do next."""
    if entry["rule"] is not None:
        spoilt = f", by the fault {entry['fault']}" if entry["fault"] else ""
        return f"the rule {entry['rule']} decided about it{spoilt}", "unload_scenarios takes all rules away"
    if entry["operation"] is None:
        return "no operation has this method and path", "list_operations finds it by words of its path"
    body = entry["response"]["body"]
    message = find_message(body) or f"it was answered with {entry['status']}"
    return message, _remedy(str(find_code(body)), message) or f"read_docs {entry['operation']}"


def _remedy(code: str, message: str) -> str | None:
    """What the reference says to do about an error."""
    with suppress(LookupError):
        for line in read_page(f"errors#{code.lower()}").splitlines():
            # A code in capitals is another error than the same one in lower case.
            if line.startswith(f"| `{code}` | "):
                _, _, said, what_to_do, *_ = line.split(" | ")
                if message.startswith(said.partition("{")[0]):
                    return what_to_do
    return None


def set_fault(
    context: Context,
    project: MockProject,
    operation: str,
    then: Annotated[dict[str, Any], Field(min_length=1)],
    nth: int | dict[str, int] | None = None,
) -> object:
    """Make calls of an operation fail, or be late: loads a scenario with one rule."""
    when: dict[str, Any] = {"call": _require(operation).operation}
    if nth is not None:
        when["nth"] = nth
    rule = {"name": "fault", "when": when, "then": then}
    text = json.dumps({"name": f"fault of {operation}", "rules": [rule]}, indent=2).encode()
    return project.call("POST", "/scenarios", content=text, headers={"content-type": "application/yaml"})


def unhappy_paths(context: Context, project: MockProject, operation: str | None = None) -> object:
    """Say which failures of the called operations the client has met, and which to try next, as scenarios.

    In a terminal, `mockserver explore -- COMMAND` runs a command again with each of them.
    """
    found = project.call("GET", "/error-coverage")
    met, missing = found["met"], found["missing"]
    if operation is not None:
        name, every = _require(operation).operation, [path.id for path in paths_of(operation)]
        met, missing = {name: met.get(name, [])}, {name: missing.get(name, every)}
    trials = [
        Trial("", name, 1, path, rank)
        for name, ids in missing.items()
        for rank, path in enumerate(paths_of(name))
        if path.id in ids
    ]
    likely = sorted(trials, key=lambda trial: trial.rank)[:_MOST_NEXT]
    return {
        "operations": {name: {"met": met[name], "not_met": missing[name]} for name in met},
        "percent": found["percent"],
        "next": [{"failure": each.path.title, "scenario": each.scenario} for each in likely],
    }


# --- recordings ------------------------------------------------------------------------------------------


def _recording(context: Context) -> BinaryIO:
    """What was recorded. ToolError if it shows secrets. BadRecording."""
    recording = BytesIO(context.control.recording())
    meta, _ = read_heads(Lines(recording))
    if not meta.masked:
        raise ToolError("it has secrets: it was started without `mask`", "start_recording, and call again")
    recording.seek(0)
    return recording


def replay_recording(context: Context) -> object:
    """Replay what was recorded against a fresh server, and say what differs. Nothing changes on this one."""
    try:
        report = play(Player(_recording(context), InProcess()), "the recording")
    except BadRecording as error:
        raise ToolError(error, "start_recording, and make the calls again") from None
    return {"differing": report.differing, "report": [*report.lines()]}


def export_recording(context: Context, to: Kind, condition: str | None = None) -> object:
    """Write what was recorded as a test that repeats it, or as a scenario, an archive or curl commands.

    In a terminal, `mockserver export FILE --to pytest` does so with a file, such as that of a red test in CI.
    """
    options = ExportOptions(file=Path("recording.jsonl"), to=to, out=None, at=None, asserts=())
    try:
        run = read_run(_recording(context))
        found = EXPORTS[to](run if condition is None else _shorten(run, condition), options)
    except (BadRecording, BadCondition, NotShown, CannotExport) as error:
        raise ToolError(error, "stop_recording first, or name another condition") from None
    if len(found.content) > MOST_BYTES - _ENVELOPE_BYTES:
        size = f"it has {len(found.content)} bytes, too many for a tool"
        raise ToolError(size, "shorten it with `condition`, or use `mockserver export` in a terminal")
    notes = [*found.others, *found.notes]
    return {"text": found.content.decode("utf-8", "replace"), "notes": notes}


def _shorten(run: Run, condition: str) -> Run:
    """The shortest run that is found in time."""
    ticker = Ticker()
    ends_ms = ticker.real_ms() + _BUDGET_MS
    shrinker = make_shrinker(run, condition, lambda: ticker.real_ms() > ends_ms)
    with suppress(OutOfTime):
        shrinker.shrink()
    return read_run(BytesIO(write(shrinker, None)))
