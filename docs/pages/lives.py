"""The lives, as state diagrams."""

from importlib import import_module
from pkgutil import walk_packages

from docs.pages.markdown import page
from mockserver import domain, resources
from mockserver.kernel.machine import Machine


def lives_page() -> str:
    """Every life as a state diagram."""
    lines = [
        "# Lives",
        "",
        "A life is a table of steps: a state, an event, the next state. Only events and timers move a life.",
        "Reading never does.",
    ]
    for life in lives():
        lines += ["", f"## {life.name}", "", "```mermaid", life.mermaid(), "```"]
    return page(lines)


def lives() -> list[Machine]:
    """Every life that a module of the domain or of the API declares, by name."""
    found: dict[str, Machine] = {}
    for package in (domain, resources):
        for module in walk_packages(package.__path__, f"{package.__name__}."):
            members = vars(import_module(module.name)).values()
            found |= {life.name: life for life in members if isinstance(life, Machine)}
    return [found[name] for name in sorted(found)]
