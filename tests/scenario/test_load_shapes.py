"""Reading scenarios whose parts have another shape than is wanted: what is said, and at which place."""

from collections.abc import Callable

import pytest

from mockserver.api.endpoint import Routes
from mockserver.scenario.checking.load import read
from mockserver.scenario.reading.findings import ScenarioError
from mockserver.state.project import Project
from mockserver.state.requests import LoadedScenario
from tests.tables import cases

Load = Callable[[str], LoadedScenario]

MARK = "^^"


@cases(
    "text, message",
    ("settings: ^^[1]", "settings is a mapping"),
    ("seed: ^^{a: b}", "seed is text"),
    ("keys:\n  - {key: sk_test_x, scopes: ^^[]}", "without scopes a key may do everything"),
    ("rules:\n  - when: {call: CreateContract, body: {name: ^^{}}}", "a test has at least one of"),
    ("rules:\n  - when: {call: GetContract, nth: ^^{}}", "nth is a number, a list of numbers, or"),
    (
        f"rules:\n  - when: {{call: CreateContract, body: {{name: {{matches: ^^{'a' * 501}}}}}}}",
        f"the pattern '{'a' * 117}...' has 501 characters; 500 are allowed",
    ),
    (
        "rules:\n  - when: GetContract\n    then: {answer: {status: 500, headers: {^^'a b': c}}}",
        "'a b' is not the name of a header",
    ),
    ("rules:\n  - then: {fate: ^^{reason: x}}", "a fate has an outcome"),
    ('given:\n  - {call: GetAccount, path: {id: ^^""}}', "id is empty"),
)
def test_a_part_of_another_shape_is_found_at_its_place(routes: Routes, text: str, message: str) -> None:
    before = text[: text.index(MARK)]
    place = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    with pytest.raises(ScenarioError) as caught:
        read(text.replace(MARK, ""), "s.yaml", routes)
    said = [f.message for f in caught.value.findings if (f.line, f.column) == place]
    assert any(each.startswith(message) for each in said), caught.value


@cases("mode", "ticking", "frozen")
def test_a_clock_is_set_by_the_name_of_its_mode(routes: Routes, mode: str) -> None:
    scenario = read(f"clock: {mode}", "s.yaml", routes)
    assert scenario.clock is not None
    assert scenario.clock.mode == mode


@cases("kind, outcome", ("transaction", "expired"), ("solana_transaction", "expired"))
def test_a_fate_may_name_its_kind(load: Load, project: Project, kind: str, outcome: str) -> None:
    load(f"fates:\n  - {{outcome: {outcome}, kind: {kind}}}")
    assert [fate.kind for fate in project.onchain.fates] == [kind]
