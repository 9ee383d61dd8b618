"""The report of a failed test: what a project recorded while the test ran, in sections."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import dropwhile
from operator import itemgetter
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field
from typing_extensions import TypedDict

from mockserver.api.call import Reply
from mockserver.api.waiting import SLICE, show_rows
from mockserver.api.wire import empty
from mockserver.kernel.secrecy import Token
from mockserver.kernel.spelling import did_you_mean, nearest, printable
from mockserver.kernel.timestamps import format_iso
from mockserver.server.answering.control_call import ControlCall
from mockserver.server.answering.masking import SHORTENING
from mockserver.server.control.bodies import ControlBody, ControlQuery
from mockserver.server.control.groups import ControlGroup
from mockserver.server.control.history.exchange_lines import describe_error, describe_exchange
from mockserver.server.control.history.journal import (
    brief_answer,
    find_explanations,
    payload_answers,
    weigh,
)
from mockserver.server.control.history.journal_filters import got_error
from mockserver.state.history.event import Event
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project
from mockserver.state.world import World

if TYPE_CHECKING:
    from mockserver.scenario.running.matching import NearMiss

report = ControlGroup("Report", below="/_mock")

SectionId = Literal["journal", "errors", "transactions", "rules", "fates", "undeclared_keys"]

_TITLES: Mapping[SectionId, str] = {
    "journal": "mockserver journal",
    "errors": "mockserver error answers",
    "transactions": "mockserver transactions",
    "rules": "mockserver rules",
    "fates": "mockserver fates",
    "undeclared_keys": "mockserver undeclared keys",
}
_SHOWN_EXCHANGES = 20
_SHOWN_ERRORS = 10
_SHOWN_MISSES = 2
_SHOWN_CALLS = 2
_SHOWN_KEYS = 20
_LOOKED_AT = 50
"""The latest calls that are held against the rules that never fired."""
_TEXT = (("content-type", "text/plain; charset=utf-8"),)

_Number = Annotated[int, Field(ge=0)]


class ReportQuery(ControlQuery):
    """What the report is of."""

    since: _Number = 0
    """The number of the last exchange that came before the calls of the test itself."""
    sections: list[SectionId] = field(default_factory=empty)
    """Only these sections; all unless given."""
    scenarios: list[str] = field(default_factory=empty)
    """The ids of the scenarios that the test loaded: of the rules that never fired only theirs are named, and
    the section begins with a line that says why the test fails."""


class ReportSection(TypedDict):
    """A part of a report."""

    id: SectionId
    title: str
    """Its heading, such as `mockserver journal`."""
    lines: list[str]
    """What it says, secrets masked. Lines about the one before begin with spaces."""


class ReportAnswer(TypedDict):
    """What a failed test did in a project."""

    exchanges: int
    """How many exchanges came after `since`."""
    sections: list[ReportSection]
    """Those that have something to say."""


class CountedCalls(ControlBody):
    """What was there before a test, and the keys that it has."""

    before: dict[str, _Number] = field(default_factory=dict)
    """How many `calls` each project had answered that an undeclared key opened, by its `secret_key`."""
    keys: list[Token] = field(default_factory=empty)
    """The keys of the test: the nearest of them is named."""


@report.operation("GET /projects/{p}/report", "GetReport", writes=("text/plain",))
def get_report(call: ControlCall[None, ReportQuery]) -> ReportAnswer | Reply:
    """Report what a failed test did in a project, in sections; as one text with `Accept: text/plain`.

    Of the undeclared keys those are reported that opened a project after this one was made.
    """
    made = _Report(call)
    return show_rows(made.exchanges, made.look, made.answer, made.weigh)


@report.operation("POST /undeclared-calls", "ReportUndeclaredCalls")
def report_undeclared_calls(call: ControlCall[CountedCalls, None, None]) -> ReportSection:
    """Report the calls that went to undeclared keys since they were counted; no lines if none did."""
    counted = (
        (key, project.calls - call.body.before.get(key, 0))
        for key, project in _undeclared_projects(call.world)
    )
    return _section("undeclared_keys", _describe_undeclared(counted, call.body.keys))


class _Report:
    """A report in the making: what it is of is decided at the time of the request."""

    def __init__(self, call: ControlCall[None, ReportQuery]) -> None:
        query, history = call.query, call.project.history
        self._call = call
        self._sections = query.sections or [*_TITLES]
        self._seen = history.answered_since(query.since)
        self._has_rules = any(loaded.rules for loaded in call.project.scenarios)
        self._unused = [*self._find_unused_rules()] if "rules" in self._sections else []
        errors = [each for each in self._seen if _is_error(each)] if "errors" in self._sections else []
        self._errors = _by_number(errors[:_SHOWN_ERRORS])
        self._shown = _by_number(self._seen[-_SHOWN_EXCHANGES:] if "journal" in self._sections else [])
        self._held = _by_number(history.answered_since(0)[-_LOOKED_AT:] if self._unused else [])
        together = {**self._errors, **self._shown, **self._held}
        self.exchanges = [together[number] for number in sorted(together)]
        """Those to look at, oldest first."""
        before = f"1 to {query.since} came before the calls of the test itself"
        self._journal_lines = [before] if query.since else []
        self._error_lines: list[str] = []
        self._more_errors = len(errors[_SHOWN_ERRORS:])
        self._closest: dict[tuple[str, str], list[tuple[int, str]]] = defaultdict(list)
        """By scenario and rule: how much a call lacked, and a line about it."""

    def _find_unused_rules(self) -> Iterator[tuple[str, str, str]]:
        """Each rule that never fired and is not optional: its scenario, its name, and what matched it."""
        project, wanted = self._call.project, self._call.query.scenarios
        scenarios = [loaded for loaded in project.scenarios if not wanted or loaded.id in wanted]
        for scenario, rule in ((loaded.name, rule) for loaded in scenarios for rule in loaded.rules):
            state = project.requests.rule_states[rule.id]
            if state.fired or rule.optional:
                continue
            matched = f"{state.met} {'call' if state.met == 1 else 'calls'} matched it"
            if state.met and not any(map(rule.when.admits, range(1, state.met + 1)[:_LOOKED_AT])):
                matched += ", and its nth is about others"
            yield scenario, rule.name, matched

    def weigh(self, exchange: Event) -> int:
        """How much work an exchange is: rules may look at all of it, which takes a slice of its own."""
        return SLICE if self._has_rules else weigh(exchange)

    def look(self, exchange: Event) -> None:
        """Look at the next exchange, and hold it against the rules as if it were sent again now."""
        call, number = self._call, exchange.number
        misses = self._near_misses(exchange)
        entry = brief_answer(call, exchange, unmasked=False)
        if number in self._shown or number in self._errors:
            entry = {**entry, **payload_answers(call, exchange, unmasked=False)}
            entry["findings"] = [*find_explanations(call, exchange, entry)]
        if number in self._shown:
            self._journal_lines += describe_exchange(entry, call.project.secret_key)
            self._journal_lines += map(_describe_miss, () if exchange.rule else misses[:_SHOWN_MISSES])
        if number in self._errors:
            self._error_lines += describe_error(entry)
        if number in self._held:
            for miss in misses:
                self._note_close(exchange, miss.scenario, miss.rule, miss.missed)
            # What has decided about a call and yet never fired had a fate for the transaction of the call.
            lost = "created no transaction for the fate of the rule"
            for scenario, rule, _ in self._unused:
                if rule == exchange.rule:
                    self._note_close(exchange, scenario, rule, (lost,))

    def _near_misses(self, exchange: Event) -> "list[NearMiss]":
        if not self._has_rules:
            return []
        # A project that has rules has imported them.
        from mockserver.scenario.running.matching import near_misses
        from mockserver.server.control.history.past_calls import view_past_call

        view = view_past_call(self._call, exchange)
        return [] if view is None else near_misses(view)

    def _note_close(self, exchange: Event, scenario: str, rule: str, missed: Sequence[str]) -> None:
        """Keep a line about a call that nearly met a rule, if few came closer."""
        close = self._closest[scenario, rule]
        # Of calls that lack as much the latest comes first.
        line = f"  #{exchange.number} {exchange.operation}: {missed[0]}"
        close.insert(0, (len(missed), line))
        close.sort(key=itemgetter(0))
        del close[_SHOWN_CALLS:]

    def answer(self, _: object) -> ReportAnswer | Reply:
        """The report, once all of its exchanges were looked at."""
        more = [f"      and {self._more_errors} more"] if self._more_errors else []
        lines: Mapping[SectionId, Iterable[str]] = {
            "journal": self._journal_lines,
            "errors": [*self._error_lines, *more, *self._describe_calls_without_project()],
            "transactions": self._describe_transactions(),
            "rules": self._describe_unused_rules(),
            "fates": self._describe_fates(),
            "undeclared_keys": self._describe_undeclared_keys(),
        }
        made = [_section(name, lines[name]) for name in lines if name in self._sections]
        sections = [section for section in made if section["lines"]]
        accept = self._call.request.headers.get("accept", "")
        if "text/plain" in accept and "json" not in accept:
            return Reply(_as_text(sections).encode("utf-8", "replace"), headers=_TEXT)
        return {"exchanges": len(self._seen), "sections": sections}

    def _describe_unused_rules(self) -> Iterator[str]:
        """The rules that never fired, and the calls that came closest to each."""
        if self._unused and self._call.query.scenarios:
            yield "rules of the test's scenarios never fired:"
        for scenario, rule, matched in self._unused:
            yield f"{rule} (scenario {scenario}) never fired: {matched}"
            yield from (line for _, line in self._closest[scenario, rule])

    def _describe_transactions(self) -> Iterator[str]:
        """The latest transactions that failed, are not settled, or no rule of a policy was about, and why."""
        project = self._call.project
        rows = [
            row
            for row in project.onchain.transactions
            if not row.is_settled or (row.receipt and row.receipt.error) or _find_unmatched(row)
        ]
        for row in rows[-_SHOWN_ERRORS:]:
            yield f"{row.id}: {_describe_transaction(project, row)}"
        queued = [each for node in project.chains.nodes for each in node.queued]
        for each in queued[-_SHOWN_ERRORS:]:
            why = f"it has the nonce {each.transaction.nonce}, and {each.sender} has not sent all before it"
            yield f"0x{each.hash.hex()}: queued: {why}"

    def _describe_fates(self) -> Iterator[str]:
        """The fates that no transaction has used."""
        aims = ("kind", "chain_id", "account_id", "transaction_id")
        for fate in self._call.project.onchain.fates:
            named = ((name, getattr(fate, name)) for name in aims)
            aim = ", ".join(f"{name} {value}" for name, value in named if value is not None)
            yield f"{fate.outcome} waits for a transaction: {aim}"

    def _describe_calls_without_project(self) -> Iterator[str]:
        """The calls that were refused before they had a project, since this one was made."""
        later = {other.id for other in _projects_since(self._call.world, self._call.project)}
        return (
            f"      of no project: {line}" for id, line in self._call.server.without_project if id in later
        )

    def _describe_undeclared_keys(self) -> Iterator[str]:
        """The calls to keys that opened a project after this one was made."""
        world, project = self._call.world, self._call.project
        later = _undeclared_projects(world, after=project)
        opened = ((key, other.calls) for key, other in later if other is not project)
        return _describe_undeclared(opened, [world.secret_key_of(project)])


def _section(name: SectionId, lines: Iterable[str]) -> ReportSection:
    return {"id": name, "title": _TITLES[name], "lines": [*map(printable, lines)]}


def _describe_miss(miss: "NearMiss") -> str:
    return f"      near miss: rule {miss.rule} (scenario {miss.scenario}): {miss.missed[0]}"


def _find_unmatched(row: Transaction) -> str | None:
    """Why no rule of the policies about sending was about a call of a transaction; None if one was."""
    return next((decision.reason for decision in row.sending if decision.rule_id is None), None)


def _describe_transaction(project: Project, row: Transaction) -> str:
    """Why a transaction failed and where, what it waits for, or why no rule of a policy was about it."""
    # Imported on first use: the end of a test that passed asks this module for another report.
    from mockserver.domain.transactions.fates import fate_for
    from mockserver.domain.transactions.traces import explain

    if row.receipt is not None and row.receipt.error is not None:
        where = explain(project, row.chain_id, row.receipt.trace)
        return where or f"{row.status}: {row.receipt.error.reason}"
    due_ms = project.timers.next_due_ms(row.id)
    first = project.onchain.transactions.first("nonce_queue", row.nonce_queue)
    if row.is_settled:
        why = _find_unmatched(row) or ""
    elif row.status == "awaiting_signature":
        why = "the owner of its account has to sign the hash in nextAction"
    elif due_ms is not None:
        why = f"due at {format_iso(due_ms)}, and the project's clock is at {format_iso(project.clock.now_ms)}"
    elif fate_for(project, row).outcome == "never_mined":
        why = "its fate is never_mined"
    elif first is not None and first.id != row.id:
        why = f"it waits for {first.id}, whose nonce is lower"
    else:
        why = "it offers less for gas than the base fee"
    return f"{row.status}: {why}"


def _as_text(sections: Iterable[ReportSection]) -> str:
    return "\n".join("\n".join([f"--- {each['title']} ---", *each["lines"]]) for each in sections)


def _by_number(exchanges: Iterable[Event]) -> dict[int, Event]:
    return {exchange.number: exchange for exchange in exchanges}


def _is_error(exchange: Event) -> bool:
    """Whether the client got an error, or no whole answer."""
    return got_error(exchange) or exchange.fault is not None


def _projects_since(world: World, first: Project) -> Iterator[Project]:
    """A project, and those that were made after it."""
    return dropwhile(lambda project: project is not first, world)


def _undeclared_projects(world: World, after: Project | None = None) -> Iterator[tuple[str, Project]]:
    """The projects that undeclared keys opened, each with its key; those that were made after another one."""
    made = iter(world) if after is None else _projects_since(world, after)
    return ((world.secret_key_of(project), project) for project in made if not project.is_declared)


def _describe_undeclared(calls: Iterable[tuple[str, int]], declared: Collection[str]) -> Iterator[str]:
    """A line for each undeclared key and its number of calls, with the nearest of those declared."""
    called = [(key, count) for key, count in calls if count > 0]
    own = ", ".join(map(SHORTENING.token, declared))
    for key, count in called[:_SHOWN_KEYS]:
        close = nearest(key, declared)
        shown = SHORTENING.token(key)
        hint = did_you_mean(SHORTENING.token(close)) if close else f"; the test has {own}" if own else ""
        if close and SHORTENING.token(close) == shown:
            hint = "; the test's own only begins alike"
        why = f"which nothing declares{hint}"
        if key in declared:
            why = "whose project was deleted, or lost when the server was restarted"
        went = "1 call" if count == 1 else f"{count} calls"
        yield f"{went} went to {shown}, {why}"
    if len(called) > _SHOWN_KEYS:
        yield f"      and {len(called) - _SHOWN_KEYS} more"
