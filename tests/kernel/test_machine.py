"""A table of steps with a hole refuses to be built."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockserver.kernel.machine import Machine, MachineError, Transition
from tests.tables import cases

LAMP = [Transition("off", "press", "on"), Transition("on", "press", "off"), Transition("on", "burn", "dead")]


def lamp(
    *more: Transition, initial: tuple[str, ...] = ("off",), terminal: tuple[str, ...] = ("dead",)
) -> Machine:
    """A machine that works, changed a little."""
    return Machine("lamp", initial=initial, terminal=terminal, transitions=[*LAMP, *more])


def test_an_event_leads_where_the_table_says_and_nowhere_else() -> None:
    machine = lamp()
    assert machine.targets.get(("off", "press")) == "on"
    assert machine.targets.get(("off", "burn")) is None
    assert machine.targets.get(("dead", "press")) is None
    assert machine.targets.get(("melted", "press")) is None
    assert machine.states == ("off", "on", "dead")


@cases(
    "more, initial, terminal, reason",
    ([Transition("off", "press", "dead")], ("off",), ("dead",), "leads to two places"),
    ([Transition("lost", "press", "on")], ("off",), ("dead",), "nothing leads to the state lost"),
    ([Transition("on", "drop", "broken")], ("off",), ("dead",), "broken is a dead end"),
    ([Transition("dead", "mend", "off")], ("off",), ("dead",), "dead has a way out"),
    ([], ("off",), ("dead", "gone"), "no transition names the terminal state gone"),
    ([], ("off",), (), "dead is a dead end"),
    ([], (), ("dead",), "nothing leads to the state"),
    ([], ("off", "spare"), ("dead",), "spare is a dead end"),
)
def test_a_table_with_a_hole_is_refused(
    more: list[Transition], initial: tuple[str, ...], terminal: tuple[str, ...], reason: str
) -> None:
    with pytest.raises(MachineError, match=f"lamp: .*{reason}"):
        lamp(*more, initial=initial, terminal=terminal)


def test_an_island_of_states_that_lead_to_each_other_is_refused() -> None:
    with pytest.raises(MachineError, match="nothing leads to the state east"):
        lamp(Transition("east", "go", "west"), Transition("west", "go", "east"))


NAMES = st.sampled_from("abcde")


@given(st.lists(st.builds(Transition, NAMES, st.sampled_from("xy"), NAMES), max_size=8), st.sets(NAMES))
def test_a_built_machine_reaches_every_state_and_ends(steps: list[Transition], terminal: set[str]) -> None:
    try:
        machine = Machine("any", initial=["a"], terminal=terminal, transitions=steps)
    except MachineError:
        return
    reached = {"a"}
    for _ in steps:
        reached |= {step.target for step in steps if step.source in reached}
    assert reached == set(machine.states)
    ends = {state for state in machine.states if not any(step.source == state for step in steps)}
    assert ends == set(machine.terminal) == terminal


def test_it_draws_every_step_its_beginnings_and_its_ends() -> None:
    lines = [line.strip() for line in lamp().mermaid().splitlines()]
    assert lines == [
        "stateDiagram-v2",
        "[*] --> off",
        "off --> on: press",
        "on --> off: press",
        "on --> dead: burn",
        "dead --> [*]",
    ]
