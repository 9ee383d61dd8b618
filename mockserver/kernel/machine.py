"""State machines as transition tables."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Step(NamedTuple):
    """A transition: from a state, by an event, to a state."""

    source: str
    event: str
    target: str


class MachineError(ValueError):
    """The transition table is inconsistent."""


class Machine:
    """A transition table, checked when it is built.

    MachineError if a state is unreachable, if a state without transitions is not terminal, or if an
    event leads from one state to two.
    """

    def __init__(
        self, name: str, *, initial: Iterable[str], terminal: Iterable[str], steps: Iterable[Step]
    ) -> None:
        self.name = name
        self.initial = tuple(initial)
        self.terminal = frozenset(terminal)
        self.steps = tuple(steps)
        self.targets: Mapping[tuple[str, str], str] = {
            (step.source, step.event): step.target for step in self.steps
        }
        """The state that an event leads to from a state; without one the event does not apply there."""
        self._check()

    @property
    def states(self) -> tuple[str, ...]:
        """Every state, in the order the table names them."""
        named = [*self.initial, *(state for step in self.steps for state in (step.source, step.target))]
        return tuple(dict.fromkeys(named))

    def _check(self) -> None:
        if len(self.targets) != len(self.steps):
            raise MachineError(f"{self.name}: an event leads to two places from the same state")
        reached = set(self.initial)
        waiting = list(self.initial)
        while waiting:
            state = waiting.pop()
            for step in self.steps:
                if step.source == state and step.target not in reached:
                    reached.add(step.target)
                    waiting.append(step.target)
        for state in self.states:
            if state not in reached:
                raise MachineError(f"{self.name}: nothing leads to the state {state}")
            leaves = any(step.source == state for step in self.steps)
            if state in self.terminal and leaves:
                raise MachineError(f"{self.name}: the terminal state {state} has a way out")
            if state not in self.terminal and not leaves:
                raise MachineError(f"{self.name}: the state {state} is a dead end")
        unknown = self.terminal - set(self.states)
        if unknown:
            raise MachineError(f"{self.name}: no step names the terminal state {min(unknown)}")

    def mermaid(self) -> str:
        """The table as a Mermaid state diagram."""
        lines = ["stateDiagram-v2"]
        lines += [f"    [*] --> {state}" for state in self.initial]
        lines += [f"    {step.source} --> {step.target}: {step.event}" for step in self.steps]
        lines += [f"    {state} --> [*]" for state in self.states if state in self.terminal]
        return "\n".join(lines)
