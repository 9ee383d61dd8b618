"""Reading scenarios that tests give as a path or as text."""

from collections.abc import Sequence
from pathlib import Path

__tracebackhide__ = True


def read_scenario(scenario: str | Path, places: Sequence[Path] = ()) -> tuple[str, Path | None]:
    """A scenario's text and file. YAML is the text itself, anything else a path.

    A path is relative to one of `places`, or else to the working directory; FileNotFoundError
    otherwise.
    """
    if isinstance(scenario, str) and is_text(scenario):
        return scenario, None
    looked = [*places, Path.cwd()]
    for place in looked:
        if (place / scenario).is_file():
            return (place / scenario).read_text(encoding="utf-8"), place / scenario
    raise FileNotFoundError(
        f"there is no scenario file {scenario} in {' or '.join(dict.fromkeys(map(str, looked)))}"
    )


def is_text(scenario: str) -> bool:
    """Whether this is YAML text and not a path."""
    return "\n" in scenario or ": " in scenario
