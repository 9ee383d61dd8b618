"""The lifecycles, as state diagrams."""

from importlib import import_module
from pkgutil import walk_packages

from docs.pages.markdown import page
from mockserver import domain, funding, resources, webhooks
from mockserver.kernel.machine import Machine


def lifecycles_page() -> str:
    """Every lifecycle as a state diagram."""
    lines = [
        "# Lifecycles",
        "",
        "A lifecycle is a state machine, declared as a table of transitions: a state, an event, the next",
        "state. Only events and timers change a state. Reading never does.",
    ]
    for machine in lifecycles():
        lines += [
            "",
            f"## {machine.name}",
            "",
            "```mermaid",
            machine.mermaid(),
            "```",
            "",
            *_transitions(machine),
        ]
    return page(lines)


def _transitions(machine: Machine) -> list[str]:
    """The table of transitions, with the events that lead from one state to another in one line."""
    events: dict[tuple[str, str], list[str]] = {}
    for step in machine.transitions:
        events.setdefault((step.source, step.target), []).append(f"`{step.event}`")
    rows = [f"| `{source}` | {', '.join(names)} | `{to}` |" for (source, to), names in events.items()]
    return ["| State | Event | Next state |", "|---|---|---|", *rows]


def lifecycles() -> list[Machine]:
    """Every state machine that a module of `domain`, `resources` or a room declares, by name."""
    found: dict[str, Machine] = {}
    for package in (domain, funding, resources, webhooks):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            members = vars(import_module(module.name)).values()
            found |= {machine.name: machine for machine in members if isinstance(machine, Machine)}
    return [found[name] for name in sorted(found)]
