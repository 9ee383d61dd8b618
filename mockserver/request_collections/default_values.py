"""What the requests refer to before any of them was sent: keys, and the ids of the default scenario."""

from typing import Any

from mockserver.launch.application import DEFAULT_PROJECT, DEFAULT_SCENARIO
from mockserver.request_collections.tour import Tour
from mockserver.scenario.checking.load import read
from mockserver.scenario.running.apply import apply
from mockserver.scenario.running.steps import project_values
from mockserver.server.assembly import ROUTES, assemble
from mockserver.state.world import World


def default_values(tour: Tour, base_url: str, seed: str | None = None) -> dict[str, str]:
    """The values of variables, by name, in the default project of a server with a seed."""
    answers = {**_answers(seed), "base_url": base_url}
    found: dict[str, str] = {}
    for reference in tour.variables():
        if reference.answer in answers:
            found[reference.variable] = reference.read(answers[reference.answer])
    return found


def _answers(seed: str | None) -> dict[str, Any]:
    """What the steps of the default scenario are answered: ids follow from the seed."""
    world = World() if seed is None else World(seed)
    project = world.create(name=DEFAULT_PROJECT)
    scenario = read(DEFAULT_SCENARIO.read_text(encoding="utf-8"), DEFAULT_SCENARIO.name, ROUTES)
    loaded = apply(world, project, scenario, assemble(world).pipeline.answer)
    return {**loaded.captured, **project_values(project)}
