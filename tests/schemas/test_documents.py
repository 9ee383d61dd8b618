"""Whatever the OpenAPI documents describe is answered as they describe it: cases drawn by schemathesis.

Needs the extra `schemas`; `.ci/schemas` has it in an environment of its own.
"""

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.tables import cases
from tests.thoroughness import THOROUGHNESS, sampled

pytest.importorskip("schemathesis", reason="schemathesis is in the extra `schemas`: see .ci/schemas")

from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi import checks

from tests.schemas.requests import Operation, credentials, operations, send
from tests.server.robustness.requests import words_for
from tests.server.robustness.stage import staged

# That valid data is accepted is not among them: what a document cannot say (an address has its checksum, a
# chain is one of the mode's) is refused, and rightly.
CHECKS = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]
PLAIN = re.compile(r"[\w-]+")
PROJECTS = st.just("-")
FIXED = settings(
    max_examples=2 * THOROUGHNESS,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


# Others have nothing that can be violated: any text may be in a path.
WITH_RULES = [each for each in operations() if (each.endpoint.body, each.endpoint.query) != (None, None)]


def parameters(found: Iterable[Operation]) -> list[Any]:
    """The operations as parameters of tests."""
    return [pytest.param(each, id=str(each)) for each in found]


# What these do is done to a whole server, and outlasts a test. The last reads lines, which are not drawn.
# Messages of MCP are handed to its SDK, and tried in tests/agents.
LEFT_OUT = {
    "HandleMcpMessage",
    "StartRecording",
    "LoadRecording",
    "StartReplay",
    "MakeReplayStep",
    "GetReplayedRow",
    "StopReplay",
    "PutState",
}
ANSWERED = [each for each in operations() if each.endpoint.operation not in LEFT_OUT]
# Of any text it is said what is wrong with it, and JSON-RPC refuses in answers with 200: tests/nodes.
SAYING = {"CheckScenario"} | {each.endpoint.operation for each in ANSWERED if each.endpoint.family.is_rpc}
REFUSING = [each for each in ANSWERED if each in WITH_RULES and each.endpoint.operation not in SAYING]


@cases("operation", *parameters(sampled(ANSWERED, 3)))
def test_valid_requests_are_answered_as_described(operation: Operation) -> None:
    check(operation, GenerationMode.POSITIVE)


@cases("operation", *sampled(REFUSING, 3), ids=str)
def test_invalid_requests_are_refused_as_described(operation: Operation) -> None:
    check(operation, GenerationMode.NEGATIVE)


def check(operation: Operation, mode: GenerationMode) -> None:
    """Send cases of one operation, each to a project of its own in which things have happened."""

    @FIXED
    @given(operation.drawn_from.as_strategy(generation_mode=mode), st.data())
    def run(case: Any, data: st.DataObject) -> None:
        stage = staged()
        for name, before in path_parts(operation):
            known = words_for(before).filter(PLAIN.fullmatch)
            case.path_parameters[name] = data.draw(PROJECTS if name == "p" else known)
        headers = data.draw(st.sampled_from(credentials(operation.endpoint.access, stage.token)))
        case.validate_response(send(stage, operation, case, headers), checks=CHECKS)
        assert stage.failures == []

    run()


def path_parts(operation: Operation) -> list[tuple[str, str]]:
    """The parameters of a path, with the segment before each, which says what it is one of."""
    segments = operation.endpoint.path.split("/")
    return [(segment[1:-1], before) for before, segment in pairwise(segments) if segment.startswith("{")]
