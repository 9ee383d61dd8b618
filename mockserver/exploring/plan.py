"""What is tried with a test: each call that it makes and each webhook that it leads to, by unhappy paths."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mockserver.server.assembly import ROUTES
from mockserver.server.control.history.unhappy_paths import UnhappyPath, unhappy_paths

Entry = Mapping[str, Any]

RULE = "the failure"
OF_WEBHOOKS = tuple(
    UnhappyPath(outcome, title, f"{{outcome: {outcome}{options}, topic: %s, nth: %d}}")
    for outcome, title, options in (
        ("twice", "the webhook arrives twice", ""),
        ("reordered", "the webhook arrives after the one that follows", ""),
        ("lost", "the webhook never arrives", ""),
        ("late", "the webhook arrives five minutes later", ", after_ms: 300000"),
        ("corrupted", "the webhook arrives with another body than was signed", ""),
    )
)
"""Those of a webhook, with the body of `SetDeliveryFate`: it has no call by which a rule could know it."""
_WEBHOOK = "webhook "


class Trial(NamedTuple):
    """One unhappy path of one call of a test."""

    test: str
    operation: str
    """That of the call; `webhook` and the topic of a webhook."""
    place: int
    """Which of the calls of the operation, or of the webhooks of the topic, beginning with 1."""
    path: UnhappyPath
    rank: int
    """How likely it is beside others, 0 first."""
    makes: frozenset[str] = frozenset()
    """The tables in which the call makes rows."""

    @property
    def id(self) -> str:
        """Names it in reports and files."""
        return trial_id(self.test, self.operation, self.place, self.path.id)

    @property
    def scenario(self) -> str:
        """The scenario that makes it happen."""
        if self.path in OF_WEBHOOKS:
            body = self.path.then % (self.operation.removeprefix(_WEBHOOK), self.place)
            step = f"{{call: SetDeliveryFate, body: {body}}}"
            return f"name: {self.path.id} at {self.operation}\ngiven:\n  - {step}\n"
        nth = f"{{from: {self.place}}}" if self.path.is_lasting else str(self.place)
        when = f"{{call: {self.operation}, nth: {nth}}}"
        rule = f"{{name: {RULE}, optional: true, when: {when}, then: {self.path.then}}}"
        return f"name: {self.path.id} at {self.operation}\nrules:\n  - {rule}\n"


def trial_id(test: str, operation: str, place: int, path_id: str) -> str:
    """What a trial is named by."""
    return f"{test} / {operation} {place} / {path_id}"


def paths_of(operation: str) -> tuple[UnhappyPath, ...]:
    """All that can be tried with a call of an operation, or with a webhook, the most likely first."""
    if operation.startswith(_WEBHOOK):
        return OF_WEBHOOKS
    return unhappy_paths(ROUTES.by_operation.get(operation))


def plan(test: str, entries: Sequence[Entry], since: int = 0) -> Iterator[Trial]:
    """What is tried with a test, by the journal of a run without a failure, oldest entry first.

    Calls up to the number `since` are those of its fixtures: they are counted, and not tried.
    """
    places: Counter[str] = Counter()
    calls_of: dict[str, list[tuple[int, Entry]]] = {}
    for entry in entries:
        operation = entry["operation"]
        if operation is None or entry["rule"] is not None:
            continue
        places[operation] += 1
        if entry["n"] > since:
            calls_of.setdefault(operation, []).append((places[operation], entry))
    for operation, calls in calls_of.items():
        # Of many equal calls, as of one that polls, the first and the last stand for all.
        makes_rows = any(entry["effects"]["rows"] for _, entry in calls)
        tried = calls if makes_rows else dict([calls[0], calls[-1]]).items()
        for place, entry in tried:
            makes = frozenset(row["table"] for row in entry["effects"]["rows"] if row["change"] == "created")
            is_of_user = has_user_token(entry) or "cookie" in entry["request"]["headers"]
            for rank, path in enumerate(paths_of(operation)):
                if path.id != "session expired" or is_of_user:
                    yield Trial(test, operation, place, path, rank, makes)


def plan_webhooks(test: str, deliveries: Sequence[Entry], since: int = 0) -> Iterator[Trial]:
    """What is tried with the webhooks of a test, by the deliveries of a run without a failure, oldest first.

    The first `since` are those of its fixtures: they are counted, and not tried.
    """
    places: Counter[str] = Counter()
    last = {row["trigger_id"]: row["id"] for row in deliveries}
    for number, row in enumerate(deliveries, 1):
        places[row["topic"]] += 1
        if number <= since or row["fate"] is not None:
            continue
        for rank, path in enumerate(OF_WEBHOOKS):
            # No other follows the last one of a trigger, and mails have no signature.
            is_last = path.id == "reordered" and last[row["trigger_id"]] == row["id"]
            if not is_last and (path.id != "corrupted" or row["kind"] == "webhook"):
                yield Trial(test, _WEBHOOK + row["topic"], places[row["topic"]], path, rank)


def has_user_token(entry: Entry) -> bool:
    """Whether a call had the token of a user, and not a key."""
    token = entry["request"]["headers"].get("authorization", "").removeprefix("Bearer ")
    return bool(token) and not token.startswith(("sk_", "pk_"))
