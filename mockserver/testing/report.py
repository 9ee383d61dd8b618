"""What a project recorded while a test ran, for the report of its failure."""

from collections.abc import Iterator

from mockserver.testing import sections
from mockserver.testing.connection import ControlApiError
from mockserver.testing.exchanges import describe, describe_error, is_error
from mockserver.testing.project import MockProject
from mockserver.testing.unused_rules import describe_unused_rules

__tracebackhide__ = True

_SHOWN_EXCHANGES = 20
_SHOWN_ERRORS = 10
_SHOWN_MISSES = 2

Section = tuple[str, str]
"""A title and a text."""


def report_sections(project: MockProject, since: int = 0) -> list[Section]:
    """What there is to say about the exchanges after number `since`; nothing about a deleted project."""
    try:
        found = {
            sections.JOURNAL: [*_exchanges(project, since)],
            sections.ERRORS: [*_errors(project, since)],
            sections.RULES: describe_unused_rules(project),
            sections.FATES: [*_unused_fates(project)],
        }
    except ControlApiError:
        return []
    return [(title, "\n".join(lines)) for title, lines in found.items() if lines]


def report_text(project: MockProject, since: int = 0) -> str:
    """The same as one text; empty when there is nothing to say."""
    return "\n".join(f"--- {title} ---\n{text}" for title, text in report_sections(project, since))


def _exchanges(project: MockProject, since: int) -> Iterator[str]:
    """The last exchanges after those of the fixtures, a few lines each, with the secrets masked."""
    if since:
        yield f"1 to {since} came before the calls of the test itself"
    has_rules = any(loaded["rules"] for loaded in project.call("GET", "/scenarios")["data"])
    for entry in project.journal.list(order="desc", limit=_SHOWN_EXCHANGES, since=since)[::-1]:
        yield from describe(entry, project.secret_key)
        if has_rules and not entry["rule"]:
            for miss in project.near_misses(entry["n"])[:_SHOWN_MISSES]:
                rule = f"rule {miss['rule']} (scenario {miss['scenario']})"
                yield f"      near miss: {rule}: {miss['missed'][0]}"


def _errors(project: MockProject, since: int) -> Iterator[str]:
    """The calls that got an error or no whole answer: the test may have swallowed them."""
    found = [entry for entry in project.journal.list(since=since) if is_error(entry)]
    yield from map(describe_error, found[:_SHOWN_ERRORS])
    if len(found) > _SHOWN_ERRORS:
        yield f"      and {len(found) - _SHOWN_ERRORS} more"


def _unused_fates(project: MockProject) -> Iterator[str]:
    """The fates that no transaction has used."""
    aims = ("kind", "chain_id", "account_id", "transaction_id")
    for fate in project.call("GET", "/fates")["data"]:
        aim = ", ".join(f"{name} {fate[name]}" for name in aims if fate[name] is not None)
        yield f"{fate['outcome']} waits for a transaction: {aim}"
