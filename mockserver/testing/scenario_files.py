"""Scenarios as a test names them: a file, or the text itself."""

from collections.abc import Sequence
from pathlib import Path


def read_scenario(scenario: str | Path, places: Sequence[Path] = ()) -> tuple[str, str | None]:
    """A scenario's text and what to call it: a path is read, what looks like YAML is the text itself.

    A path is looked for in the places, then in the working directory; FileNotFoundError when it is in none.
    """
    if isinstance(scenario, str) and is_text(scenario):
        return scenario, None
    looked = [*places, Path.cwd()]
    for place in looked:
        if (place / scenario).is_file():
            return (place / scenario).read_text(encoding="utf-8"), Path(scenario).name
    raise FileNotFoundError(
        f"there is no scenario file {scenario} in {' or '.join(dict.fromkeys(map(str, looked)))}"
    )


def is_text(scenario: str) -> bool:
    """Whether this is YAML and no path."""
    return "\n" in scenario or ": " in scenario
