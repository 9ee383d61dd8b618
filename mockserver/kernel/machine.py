"""State machines as transition tables."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class Transition(NamedTuple):
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
        self,
        name: str,
        *,
        initial: Iterable[str],
        terminal: Iterable[str],
        transitions: Iterable[Transition],
        undoing: Iterable[str] = (),
    ) -> None:
        self.name = name
        self.initial = tuple(initial)
        self.terminal = frozenset(terminal)
        self.undoing = frozenset(undoing)
        """The events that alone lead out of terminal states: what was settled turns out not to be."""
        self.transitions = tuple(transitions)
        self.targets: Mapping[tuple[str, str], str] = {
            (each.source, each.event): each.target for each in self.transitions
        }
        """The state that an event leads to from a state; without one the event does not apply there."""
        self._check()

    @property
    def states(self) -> tuple[str, ...]:
        """Every state, in the order the table names them."""
        named = [*self.initial, *(state for each in self.transitions for state in (each.source, each.target))]
        return tuple(dict.fromkeys(named))

    def _check(self) -> None:
        if len(self.targets) != len(self.transitions):
            raise MachineError(f"{self.name}: an event leads to two places from the same state")
        reached = set(self.initial)
        waiting = list(self.initial)
        while waiting:
            state = waiting.pop()
            for each in self.transitions:
                if each.source == state and each.target not in reached:
                    reached.add(each.target)
                    waiting.append(each.target)
        for state in self.states:
            if state not in reached:
                raise MachineError(f"{self.name}: nothing leads to the state {state}")
            leaves = any(each.source == state and each.event not in self.undoing for each in self.transitions)
            if state in self.terminal and leaves:
                raise MachineError(f"{self.name}: the terminal state {state} has a way out")
            if state not in self.terminal and not leaves:
                raise MachineError(f"{self.name}: the state {state} is a dead end")
        unknown = self.terminal - set(self.states)
        if unknown:
            raise MachineError(f"{self.name}: no transition names the terminal state {min(unknown)}")

    def mermaid(self) -> str:
        """The table as a Mermaid state diagram."""
        lines = ["stateDiagram-v2"]
        lines += [f"    [*] --> {state}" for state in self.initial]
        lines += [f"    {each.source} --> {each.target}: {each.event}" for each in self.transitions]
        lines += [f"    {state} --> [*]" for state in self.states if state in self.terminal]
        return "\n".join(lines)
