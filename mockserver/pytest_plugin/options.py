"""Options: of the command line, of the configuration file, and of the `mockserver` marker."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import pytest

from mockserver.kernel.spelling import did_you_mean, nearest, quote
from mockserver.pytest_plugin import hooks
from mockserver.pytest_plugin.observing import add_observing_options, observe_tests
from mockserver.pytest_plugin.recording import add_options, record_tests

if TYPE_CHECKING:
    from mockserver.testing.connection import Json

__tracebackhide__ = True

UnusedRules = Literal["fail", "allow"]
"""What becomes of a test whose scenarios have rules that never fired."""

_MARKER = (
    "mockserver(scenario=FILE or text, seed=TEXT, clock='frozen', 'ticking', 'now' or a time, settings={...},"
    " livemode=BOOL, unused_rules='fail' or 'allow', strict_keys=BOOL): how its project begins, and what"
    " fails a test."
)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and what records tests if that is asked for."""
    config.addinivalue_line("markers", _MARKER)
    record_tests(config)
    observe_tests(config)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Declare the hooks that a consumer may implement."""
    pluginmanager.add_hookspecs(hooks)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options of the command line and of the configuration file."""
    group = parser.getgroup("mockserver")
    group.addoption(
        "--mockserver-url",
        metavar="URL",
        help="use the mock server that runs at this URL instead of starting one"
        " (its control token from MOCKSERVER_CONTROL_TOKEN)",
    )
    group.addoption(
        "--mockserver-share",
        action="store_true",
        help="let the workers of pytest-xdist share one mock server instead of starting one each",
    )
    add_options(parser, group)
    add_observing_options(parser, group)
    parser.addini(
        "mockserver_unused_rules",
        "what becomes of a test whose scenarios have rules that never fired: fail or allow",
        default="fail",
    )
    parser.addini(
        "mockserver_strict_keys",
        "whether a test fails during which calls went to keys that nothing declares",
        type="bool",
        default=False,
    )


@dataclass(frozen=True, kw_only=True)
class MarkerOptions:
    """The options of a `mockserver` marker; None is what the configuration file says."""

    scenario: str | Path | None = None
    """A file, beside the test or in the working directory, or the text of a scenario."""
    seed: str | None = None
    """The seed of the project's randomness; derived from the test's id unless given."""
    clock: str | datetime = "frozen"
    """`frozen`, `ticking`, `now` (ticking from the real time), or a time to freeze at."""
    settings: "Mapping[str, Json] | None" = None
    """Settings that are to be otherwise than usual."""
    livemode: bool | None = None
    """Whether it has live keys, and is about mainnets."""
    unused_rules: UnusedRules | None = None
    """Whether the test fails if rules of its scenarios never fired."""
    strict_keys: bool | None = None
    """Whether the test fails if calls went to keys that nothing declares."""


_TYPES: Mapping[str, tuple[type, ...]] = {
    "scenario": (str, Path),
    "seed": (str,),
    "clock": (str, datetime),
    "settings": (Mapping,),
    "livemode": (bool,),
    "unused_rules": (str,),
    "strict_keys": (bool,),
}


def read_marker(node: pytest.Item | pytest.Collector) -> MarkerOptions:
    """Merge the markers of a test, or of a class or module, the closest last; UsageError for invalid ones."""
    options: dict[str, Any] = {}
    try:
        for marker in reversed(list(node.iter_markers("mockserver"))):
            if marker.args:
                raise ValueError("the mockserver marker takes keyword arguments only")
            for name, value in marker.kwargs.items():
                _check_argument(name, value)
            options.update(marker.kwargs)
    except ValueError as error:
        raise pytest.UsageError(f"{node.nodeid}: {error}") from None
    return MarkerOptions(**options)


def fails_unused_rules(config: pytest.Config, begin: MarkerOptions) -> bool:
    """Whether rules that never fired fail the test. UsageError for another word in the configuration file."""
    default = str(config.getini("mockserver_unused_rules"))
    if default not in get_args(UnusedRules):
        raise pytest.UsageError(f"mockserver_unused_rules is to be fail or allow, not {quote(default)}")
    return (begin.unused_rules or default) == "fail"


def fails_undeclared_keys(config: pytest.Config, begin: MarkerOptions) -> bool:
    """Whether calls to keys that nothing declares fail the test."""
    return bool(config.getini("mockserver_strict_keys")) if begin.strict_keys is None else begin.strict_keys


def _check_argument(name: str, value: Any) -> None:
    """Look at an argument of a marker. A ValueError says what is wrong with it."""
    names = [field.name for field in fields(MarkerOptions)]
    if name not in names:
        hint = did_you_mean(nearest(name, names)) or f"; it takes {', '.join(names)}"
        raise ValueError(f"the mockserver marker has no {name}{hint}")
    place = f"{name} of the mockserver marker"
    has_type = isinstance(value, _TYPES[name])
    if not has_type:
        wanted = " or ".join(kind.__name__ for kind in _TYPES[name])
        raise ValueError(f"{place} is to be {wanted}, not {type(value).__name__}")
    if name == "unused_rules" and value not in get_args(UnusedRules):
        raise ValueError(f"{place} is to be fail or allow, not {quote(value)}")
    if name == "clock":
        from mockserver.testing.clock import read_clock

        try:
            read_clock(value)
        except ValueError as error:
            raise ValueError(f"{place}: {error}") from None
