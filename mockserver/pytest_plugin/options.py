"""How a test's project begins: the `mockserver` marker."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import pytest

from mockserver.kernel.mappings import without_none
from mockserver.kernel.spelling import did_you_mean, nearest


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line(
        "markers",
        "mockserver(scenario=FILE or text, seed=TEXT, clock='frozen', 'ticking' or a time, settings={...}):"
        " how the project of this test begins.",
    )


@dataclass(frozen=True, kw_only=True)
class MarkerOptions:
    """The options of a `mockserver` marker."""

    scenario: str | Path | None = None
    seed: str | None = None
    clock: str | None = None
    settings: Mapping[str, Any] | None = None

    def project_options(self) -> dict[str, object]:
        """The options of the project, as the control API takes them."""
        clock: dict[str, str] | None = None
        if self.clock in ("frozen", "ticking"):
            clock = {"mode": self.clock}
        elif self.clock is not None:
            clock = {"mode": "frozen", "now": self.clock}
        return without_none({"seed": self.seed, "clock": clock, "settings": self.settings})


_TYPES: Mapping[str, tuple[type, ...]] = {
    "scenario": (str, Path),
    "seed": (str,),
    "clock": (str,),
    "settings": (Mapping,),
}


def read_marker(item: pytest.Item) -> MarkerOptions:
    """Merge a test's markers, the closest last; UsageError for unknown or invalid options."""
    options: dict[str, Any] = {}
    for marker in reversed(list(item.iter_markers("mockserver"))):
        if marker.args:
            raise pytest.UsageError(f"{item.nodeid}: the mockserver marker takes keyword arguments only")
        for name, value in marker.kwargs.items():
            _check_argument(item, name, value)
        options.update(marker.kwargs)
    return MarkerOptions(**options)


def _check_argument(item: pytest.Item, name: str, value: object) -> None:
    names = [field.name for field in fields(MarkerOptions)]
    if name not in names:
        hint = did_you_mean(nearest(name, names)) or f"; it takes {', '.join(names)}"
        raise pytest.UsageError(f"{item.nodeid}: the mockserver marker has no {name}{hint}")
    if not isinstance(value, _TYPES[name]):
        wanted = " or ".join(kind.__name__ for kind in _TYPES[name])
        raise pytest.UsageError(
            f"{item.nodeid}: {name} of the mockserver marker is to be {wanted}, not {type(value).__name__}"
        )
