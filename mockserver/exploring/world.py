"""What became of a project's world: what it has, and how that differs from a run without the failure."""

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, NamedTuple

from mockserver.exploring.plan import OF_WEBHOOKS, RULE, Trial
from mockserver.kernel.spelling import printable
from mockserver.testing.project import MockProject

Row = Mapping[str, Any]


class Thing(NamedTuple):
    """Something in a world, as far as runs can be compared: ids and times are others in each."""

    kind: str
    what: str
    """What tells it apart from others of its kind."""
    state: str


class Kind(NamedTuple):
    """A kind of things: the table of its rows, what tells them apart, and what their states mean."""

    name: str
    table: str
    told_apart_by: tuple[str, ...]
    state: str = ""
    """The column with the state."""
    done: frozenset[str] = frozenset({""})
    """The states in which it is as it was wanted."""
    open: frozenset[str] = frozenset()
    """The states that it should not stay in."""
    twice: str = "made twice"
    kept: str = "left behind"
    """What it is when there is one that is not there without the failure."""
    is_one: Callable[[Row], bool] = lambda row: True
    """Which rows of the table are such things."""


_DELIVERIES = "webhooks.deliveries"


def _is_taken_unverified(row: Row) -> bool:
    """Whether a handler took what was changed after it was signed. An inbox takes everything."""
    has_handler = row["kind"] == "webhook" and "/inbox/" not in row["target"]
    return row["fate"] == "corrupted" and row["status"] == "succeeded" and has_handler


_KINDS = (
    Kind(
        "transaction",
        "onchain.transactions",
        ("chain_id", "calls"),
        "status",
        frozenset({"successful"}),
        frozenset({"new", "awaiting_signature", "sent"}),
        "paid twice",
    ),
    Kind(
        "Solana transaction",
        "onchain.solana_transactions",
        ("raw_transactions", "external_id"),
        "status",
        frozenset({"confirmed"}),
        frozenset({"sent"}),
        "paid twice",
    ),
    Kind("user", "identity.users", ("email", "phone_number", "is_anonymous", "name")),
    Kind("linked account", "identity.linked_accounts", ("provider", "chain_type")),
    Kind("session", "identity.sessions", (), kept="kept"),
    Kind("account", "wallets.accounts", ("account_type", "chain_type", "chain_id", "disabled")),
    Kind("contract", "onchain.contracts", ("name", "chain_id", "address", "deleted")),
    Kind("session key", "session_keys.rows", ("chain_id", "address", "state")),
    Kind("policy", "guardrails.policies", ("scope", "description", "enabled", "deleted")),
    Kind("fee sponsorship", "guardrails.fee_sponsorships", ("name", "chain_id", "enabled", "deleted")),
    Kind("webhook subscription", "webhooks.subscriptions", ("topic",)),
    Kind("webhook trigger", "webhooks.triggers", ("target", "active")),
    Kind(
        "funding session",
        "funding.sessions",
        ("chain", "currency", "amount"),
        "status",
        frozenset({"succeeded"}),
    ),
    Kind("webhook", _DELIVERIES, ("topic",), kept="taken unverified", is_one=_is_taken_unverified),
)
_BY_NAME = {kind.name: kind for kind in _KINDS}
_UNTOLD = ("requested", "gas")
"""The members of a call that depend on when it was made."""

Things = Counter[Thing]
"""What a project has: how many things of each kind are alike."""


def look_at(project: MockProject) -> Things:
    """What a project has."""
    now_ms = 1000 * project.clock.now_s
    sizes = {entry["name"]: entry["rows"] for entry in project.call("GET", "/tables")["data"]}
    found: Things = Counter()
    for kind in _KINDS:
        for row in _rows(project, kind.table) if sizes.get(kind.table) else ():
            state = str(row[kind.state]) if kind.state else ""
            # What has expired is gone, and only its row is still there.
            if row.get("expires_ms", now_ms + 1) <= now_ms or not kind.is_one(row):
                continue
            found[Thing(kind.name, _what(kind, row), state)] += 1
    return found


def deliveries_of(project: MockProject) -> list[Row]:
    """The webhooks of a project, oldest first."""
    return [*_rows(project, _DELIVERIES)]


def has_happened(project: MockProject, trial: Trial) -> bool:
    """Whether the failure that was scripted in a project came about."""
    if trial.path in OF_WEBHOOKS:
        return any(row["fate"] == trial.path.id for row in deliveries_of(project))
    loaded = project.call("GET", "/scenarios")["data"]
    rules = (rule for scenario in loaded for rule in scenario["rules"])
    return any(rule["name"] == RULE and rule["fired"] for rule in rules)


def _rows(project: MockProject, table: str) -> Iterator[Row]:
    for entry in project.call("GET", f"/tables/{table}", params={"limit": 1000})["data"]:
        yield entry["row"]


def _what(kind: Kind, row: Row) -> str:
    values = [row.get(name) for name in kind.told_apart_by]
    return json.dumps(_without(values), sort_keys=True)


def _without(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _without(each) for name, each in value.items() if name not in _UNTOLD}
    return [_without(each) for each in value] if isinstance(value, list) else value


def find_random(first: Things, second: Things) -> frozenset[str]:
    """The kinds whose things are told apart by random data: two runs without a failure differ in them."""
    return frozenset(thing.kind for thing in (first - second) + (second - first))


def _blur(world: Things, kinds: Collection[str]) -> Things:
    """A world in which the things of some kinds are only counted."""
    blurred: Things = Counter()
    for thing, count in world.items():
        blurred[thing._replace(what="[]") if thing.kind in kinds else thing] += count
    return blurred


def compare(before: Things, after: Things, trial: Trial, random: Collection[str]) -> list[str]:
    """What is wrong in a world, beside that of a run without the failure; empty if nothing is.

    Things of the kinds that are told apart by `random` data are only counted.
    More of what the call makes are explained where it has no idempotency key, as signing in has none; and
    fewer if the failure says that it is there already.
    """
    before, after = _blur(before, random), _blur(after, random)
    made = [kind for kind in _KINDS if kind.table in trial.makes]
    may_repeat = {kind.name for kind in made if kind.table.startswith("identity.")}
    may_lack = {kind.name for kind in made} if trial.path.is_there else set()
    wrong: list[str] = []
    names = sorted({(thing.kind, thing.what) for thing in (*before, *after)})
    for kind, what in ((_BY_NAME[name], what) for name, what in names):
        due_states, states = _states(before, kind, what), _states(after, kind, what)
        due, done = _count(due_states, kind.done), _count(states, kind.done)
        if done > due and kind.name not in may_repeat:
            word = kind.twice if due else kind.kept
            wrong.append(f"{_name(kind, what)}: {word} ({done} in place of {due})")
        if _count(states, kind.open) > _count(due_states, kind.open):
            wrong.append(f"{_name(kind, what)}: left pending ({next(iter(kind.open & states.keys()))})")
        elif done < due and kind.name not in may_lack:
            shown = ", ".join(f"{count} {state}" for state, count in states.items()) if kind.state else ""
            wrong.append(f"{_name(kind, what)}: lost ({shown or done} in place of {due})")
    return wrong


def _states(world: Things, kind: Kind, what: str) -> Counter[str]:
    return Counter({thing.state: count for thing, count in world.items() if thing[:2] == (kind.name, what)})


def _count(states: Counter[str], wanted: frozenset[str]) -> int:
    return sum(states[state] for state in wanted)


def _name(kind: Kind, what: str) -> str:
    known = [str(each) for each in json.loads(what) if type(each) in (str, int)]
    return printable(" ".join([kind.name, *known[:2]]))
