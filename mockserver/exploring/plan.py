"""What is tried with a test: each call that it makes, and each unhappy path of it."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mockserver.server.assembly import ROUTES
from mockserver.server.control.history.unhappy_paths import OF_WEBHOOKS, UnhappyPath, unhappy_paths

Entry = Mapping[str, Any]

RULE = "the failure"


class Trial(NamedTuple):
    """One unhappy path of one call of a test."""

    test: str
    operation: str
    place: int
    """Which of the calls of the operation, beginning with 1."""
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
        nth = f"{{from: {self.place}}}" if self.path.is_lasting else str(self.place)
        when = f"{{call: {self.operation}, nth: {nth}}}"
        rule = f"{{name: {RULE}, optional: true, when: {when}, then: {self.path.then}}}"
        return f"name: {self.path.id} at {self.operation}\nrules:\n  - {rule}\n"


def trial_id(test: str, operation: str, place: int, path_id: str) -> str:
    """What a trial is named by."""
    return f"{test} / {operation} {place} / {path_id}"


def paths_of(operation: str) -> tuple[UnhappyPath, ...]:
    """All that can be tried with a call of an operation, the most likely first."""
    paths = unhappy_paths(ROUTES.by_operation.get(operation))
    return (*paths, *OF_WEBHOOKS) if paths else ()


def plan(test: str, entries: Sequence[Entry], since: int = 0) -> Iterator[Trial]:
    """What is tried with a test, by the journal of a run without a failure, oldest entry first.

    Calls up to the number `since` are those of its fixtures: they are counted, and not tried.
    """
    places: Counter[str] = Counter()
    found: dict[str, list[tuple[int, Entry]]] = {}
    for entry in entries:
        operation = entry["operation"]
        if operation is not None and entry["rule"] is None:
            places[operation] += 1
            if entry["n"] <= since:
                continue
            found.setdefault(operation, []).append((places[operation], entry))
    for operation, calls in found.items():
        # Of many equal calls, as of one that polls, the first and the last stand for all.
        tried = calls if _makes_rows(calls) else dict([calls[0], calls[-1]]).items()
        for place, entry in tried:
            makes = frozenset(row["table"] for row in entry["effects"]["rows"] if row["change"] == "created")
            is_of_user = has_user_token(entry) or "cookie" in entry["request"]["headers"]
            is_told = "webhooks.deliveries" in makes
            for rank, path in enumerate(paths_of(operation)):
                if (path.id != "session expired" or is_of_user) and (path not in OF_WEBHOOKS or is_told):
                    yield Trial(test, operation, place, path, rank, makes)


def _makes_rows(calls: Sequence[tuple[int, Entry]]) -> bool:
    return any(entry["effects"]["rows"] for _, entry in calls)


def has_user_token(entry: Entry) -> bool:
    """Whether a call had the token of a user, and not a key."""
    token = entry["request"]["headers"].get("authorization", "").removeprefix("Bearer ")
    return bool(token) and not token.startswith(("sk_", "pk_"))
