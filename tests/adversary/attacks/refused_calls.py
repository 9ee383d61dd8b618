"""Calls drawn for a project that lives on: what is refused leaves no trace, there or in another project."""

from hypothesis import given, seed, settings
from hypothesis import strategies as st

from mockserver.state.project import Project
from tests.adversary.budget import Budget
from tests.server.robustness.requests import FAST, requests
from tests.server.robustness.stage import API, Stage, check_envelope, held, staged

CALLS = 8
"""The calls of a story. All but the first meet what the ones before have left."""


def attack(budget: Budget) -> None:
    """Make the calls: each refusal leaves rows, draws, timers, clock and settings as they were."""
    stage = staged()
    bystander = stage.pipeline.world.create(name="bystander")
    bystander.restore(stage.state)

    @given(st.data())
    @settings(FAST, max_examples=1)
    def one_story(data: st.DataObject) -> None:
        _tell(stage, bystander, data)

    for _ in budget:
        seed(budget.chance.getrandbits(64))(one_story)()


def _tell(stage: Stage, bystander: Project, data: st.DataObject) -> None:
    project = stage.project
    project.restore(stage.state)
    untouched = whole(bystander)
    for _ in range(CALLS):
        before = held(project)
        request = data.draw(requests(stage, API))
        response = stage.send(request)
        assert stage.failures == []
        check_envelope(request, response)
        if response.status >= 400:
            assert held(project) == before, request
        assert whole(bystander) == untouched, request


def whole(project: Project) -> tuple[object, ...]:
    """All that a project holds."""
    _, *rest = project.snapshot()
    return rest, [list(table) for table in project.tables]
