"""A life written as a table of steps."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Step(NamedTuple):
    """From a state, an event leads to another state."""

    source: str
    event: str
    target: str


class MachineError(ValueError):
    """The table has a hole."""


class Machine:
    """A transition table that is checked when it is built.

    A table in which a state cannot be reached, a state has no way out though it is not terminal, or
    one event leads to two places from the same state refuses to be built (MachineError).
    """

    def __init__(
        self, name: str, *, initial: Iterable[str], terminal: Iterable[str], steps: Iterable[Step]
    ) -> None:
        self.name = name
        self.initial = tuple(initial)
        self.terminal = frozenset(terminal)
        self.steps = tuple(steps)
        self._targets: Mapping[tuple[str, str], str] = {
            (step.source, step.event): step.target for step in self.steps
        }
        self._check()

    @property
    def states(self) -> tuple[str, ...]:
        """Every state, in the order the table names them."""
        named = [*self.initial, *(state for step in self.steps for state in (step.source, step.target))]
        return tuple(dict.fromkeys(named))

    def target(self, state: str, event: str) -> str | None:
        """Where an event leads from a state, or None when it means nothing there."""
        return self._targets.get((state, event))

    def _check(self) -> None:
        if len(self._targets) != len(self.steps):
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
