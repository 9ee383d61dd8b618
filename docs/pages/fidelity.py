"""The page of the ledger: what is imitated, simplified, absent, accepted and decided."""

from collections.abc import Iterator

from docs.pages.markdown import codes, page, table
from mockserver.api.endpoint import Endpoint
from mockserver.fidelity.ledger import Section, Statement, read_ledger
from mockserver.manual.pages import anchor_of
from mockserver.server.assembly import ENDPOINTS
from mockserver.upstream.known import PUBLISHED, read_known


def fidelity_page() -> str:
    """Every section of the ledger, what it was held against, and what differs from what is published."""
    lines = [
        "# Fidelity",
        "",
        "This page says what is imitated, what is simplified, what is absent, and what was decided where",
        "the specification of the API is silent. How accurate it is where your code depends on it, a",
        "recording of the [real service](guides/real-service.md) shows.",
        "",
        "Each line begins with its id. [`mockserver fidelity`](guides/command-line.md#fidelity) shows the",
        "lines about an operation, as do its page in the [reference](reference/operations.md) and the",
        "OpenAPI document (`x-mockserver-fidelity`). A line without a source is a decision of this project.",
    ]
    part = ""
    for section in read_ledger().sections:
        if section.part and section.part != part:
            lines += ["", f"## {section.part}", "", section.part_introduction]
        part = section.part
        lines += ["", f"{'###' if part else '##'} {section.title}", ""]
        if section.introduction:
            lines += [section.introduction, ""]
        lines += _LAYOUTS[section.layout](section)
    return page([*lines, *_evidence(), *_published()])


def _bullets(section: Section) -> Iterator[str]:
    for each in section.statements:
        says = f"`{each.id}`: {each.says}".replace("\n", "\n  ")
        yield f"- {says}{_notes(each)}"


def _notes(statement: Statement) -> str:
    """Its source, what shows it, and the settings that the text does not name."""
    notes = [] if statement.source == "own decision" else [f"Source: {statement.source}."]
    shown = [str(each) for each in read_ledger().evidence if each.id in statement.shown]
    if shown:
        notes.append(f"Last shown against: {', '.join(shown)}.")
    unnamed = [name for name in statement.settings if f"`{name}`" not in statement.says and name != "strict"]
    if unnamed:
        notes.append(f"Settings: {codes(unnamed)}.")
    return f"\n  *{' '.join(notes)}*" if notes else ""


def _members(section: Section) -> list[str]:
    rows = [(codes(each.members), codes(each.operations), each.says) for each in section.statements]
    return table(("Member", "Operations", "Why"), rows)


def _operations(section: Section) -> list[str]:
    rows = []
    about = {one: read_ledger().about(one.operation, one.tag) for one in ENDPOINTS if one.family.public}
    if missing := [one.operation for one, statements in about.items() if not statements]:
        raise SystemExit(f"no line of mockserver/fidelity/ledger/16_operations.yaml: {', '.join(missing)}")
    main = {one: statements[0] for one, statements in about.items()}
    for each in section.statements:
        tags = dict.fromkeys(one.tag for one, statement in main.items() if statement is each)
        resources = (f"[{tag}](reference/operations.md#{anchor_of(tag)})" for tag in tags)
        guide = f"[{each.setup.rpartition('/')[2].removesuffix('.md')}]({each.setup})"
        rows.append((", ".join(resources), each.says, each.kind, each.source, guide))
    return table(("Resource", "What it does", "", "Source", "Set up by"), rows)


_LAYOUTS = {"list": _bullets, "members": _members, "operations": _operations}


def _evidence() -> list[str]:
    rows = [
        (each.what, each.version, each.date, str(len(each.operations) or ""), each.by)
        for each in read_ledger().evidence
    ]
    return [
        "",
        "## Last shown against",
        "",
        "What the mock was last held against, by tests or by a command, and how many operations that calls.",
        "",
        *table(("What", "Version", "When", "Operations", "By"), rows),
    ]


def _published() -> list[str]:
    rows = [
        (f"`{each.operation}`", f"`{each.member}`", each.reason, each.since) for each in read_known(PUBLISHED)
    ]
    return [
        "",
        "## Beside the published documents",
        "",
        "Where this version differs from the OpenAPI documents that the service publishes.",
        "[`mockserver drift`](guides/real-service.md#compare-a-published-openapi-document) tells what else",
        "has come to differ.",
        "",
        *table(("Operations", "Member", "Why", "Since"), rows),
    ]


def fidelity_rows(endpoint: Endpoint) -> Iterator[tuple[str, str]]:
    """What an operation's page says: source, kind, what it was shown against, and the lines of the ledger."""
    ledger = read_ledger()
    main, *others = ledger.about(endpoint.operation, endpoint.tag)
    yield "source", main.source
    yield "fidelity", f"[{'absent' if endpoint.handler is None else main.kind}](../../fidelity.md)"
    shown = ", ".join(map(str, ledger.shown(endpoint.operation)))
    yield "last shown against", shown or "nothing: no published document and no tried client has it"
    titles = {each.id: section.title for section in ledger.sections for each in section.statements}
    lines: dict[str, list[str]] = {}
    for each in others:
        link = f"[`{each.id}`](../../fidelity.md#{anchor_of(titles[each.id])})"
        lines.setdefault(each.kind, []).append(link)
    yield from ((kind, ", ".join(links)) for kind, links in lines.items())
