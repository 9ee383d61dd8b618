"""Scenarios that make an operation fail: the pages show them, and tests play every one."""

from mockserver.api.common_errors import common_errors, possible_errors
from mockserver.api.endpoint import Endpoint
from mockserver.errors import ErrorRow
from mockserver.server.answering.envelopes import code_of, envelope_of


def codes_to_cause(endpoint: Endpoint) -> list[str]:
    """The code of every error that a rule can make an operation answer with, its own first.

    No rule answers with an error that the real service does not have.
    """
    rows = (*endpoint.errors, *common_errors(endpoint), *possible_errors(endpoint))
    return list(dict.fromkeys(row.code for row in rows if not row.mock_only))


def sent_code(endpoint: Endpoint, row: ErrorRow) -> str:
    """The code of an error as the operation's family spells it."""
    return code_of(envelope_of(endpoint.family, row), row)


def error_scenario(endpoint: Endpoint, code: str) -> str:
    """A scenario in which an operation answers with an error."""
    return _scenario(endpoint, "answers with an error", f"error: {code}")


def fault_scenario(endpoint: Endpoint) -> str:
    """A scenario in which the answer of an operation is lost once."""
    return _scenario(
        endpoint,
        "is done, but its answer is lost",
        "fault: {connection_reset_by_peer: {effect: done, times: 1}}",
    )


def fate_scenario(endpoint: Endpoint, outcome: str) -> str:
    """A scenario in which what an operation sends meets a fate."""
    return _scenario(endpoint, "sends what fails", f"fate: {outcome}")


def _scenario(endpoint: Endpoint, what: str, then: str) -> str:
    lines = (
        f"name: {endpoint.operation} {what}",
        "rules:",
        f"  - when: {endpoint.operation}",
        f"    then: {{{then}}}",
    )
    return "\n".join(lines)
