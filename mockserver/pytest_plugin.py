"""Fixtures for tests: a project of its own for each test, in process and over HTTP.

Heavy imports are inside the fixtures, because pytest imports this module in every run.
"""

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mockserver.kernel.mappings import without_none
from mockserver.kernel.spelling import did_you_mean, nearest
from mockserver.testing.names import name_of_test

if TYPE_CHECKING:
    import httpx

    from mockserver.testing.project import MockProject
    from mockserver.testing.recorded_tests import RecordedTests
    from mockserver.testing.server import LiveServer
    from mockserver.testing.transport import CrossLoopApp

_SHOWN_EXCHANGES = 20
_KEPT = ("failed", "all")
_SHOWN_MISSES = 2


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of recordings."""
    group = parser.getgroup("mockserver")
    group.addoption(
        "--mockserver-record",
        choices=_KEPT,
        help="keep a masked recording of the tests that failed, or of all",
    )
    group.addoption("--mockserver-record-dir", metavar="DIR", help="where to (.mockserver/recordings)")
    parser.addini("mockserver_record", "see --mockserver-record", default="")
    parser.addini("mockserver_record_dir", "see --mockserver-record-dir", default=".mockserver/recordings")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and what records tests if that is asked for."""
    config.addinivalue_line(
        "markers",
        "mockserver(scenario=FILE or text, seed=TEXT, clock='frozen', 'ticking' or a time, settings={...}):"
        " how the project of this test begins.",
    )
    kept = config.getoption("--mockserver-record") or config.getini("mockserver_record")
    if kept:
        _record_tests(config, kept)


def _record_tests(config: pytest.Config, kept: str) -> None:
    if kept not in _KEPT:
        raise pytest.UsageError(f"mockserver_record is to be one of {', '.join(_KEPT)}, not {kept}")
    from mockserver.testing.recorded_tests import RecordedTests

    directory = config.getoption("--mockserver-record-dir") or config.getini("mockserver_record_dir")
    recorded = RecordedTests(config, config.rootpath / directory, keeps_all=kept == "all")
    config.stash[_RECORDED] = recorded
    config.pluginmanager.register(recorded)


@pytest.fixture(scope="session")
def mockserver(pytestconfig: pytest.Config) -> "Iterator[LiveServer]":
    """A live server, one for all tests: `url` to reach it over HTTP, `control` for its control API."""
    from mockserver.testing.server import LiveServer

    recorded = pytestconfig.stash.get(_RECORDED, None)
    with LiveServer() as server:
        if recorded is not None:
            recorded.attach(server)
        yield server
        if recorded is not None:
            recorded.detach()


@pytest.fixture
def mock_project(request: pytest.FixtureRequest, mockserver: "LiveServer") -> "Iterator[MockProject]":
    """A new project for this test, with the options of its `mockserver` marker."""
    item = request.node
    begin = read_marker(item)
    project = mockserver.control.create_project(name=name_of_test(item), **begin.project_options())
    project.places = (item.path.parent,)
    item.stash[_PROJECT] = project
    try:
        if begin.scenario is not None:
            _load(item, project, begin.scenario)
        yield project
    finally:
        del item.stash[_PROJECT]
        project.delete()


@pytest.fixture
def mock_api(mockserver: "LiveServer", mock_project: "MockProject") -> "Iterator[httpx.Client]":
    """A client that calls the API in process, with the secret key of `mock_project`."""
    from http.cookiejar import DefaultCookiePolicy

    import httpx

    headers = {"authorization": f"Bearer {mock_project.secret_key}"}
    with httpx.Client(
        transport=mockserver.transport, base_url="http://mock", headers=headers, trust_env=False
    ) as client:
        # Without a cookie jar: a test with several users must not send one's cookie with another's call.
        client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        yield client


@pytest.fixture
def mock_asgi(mockserver: "LiveServer") -> "CrossLoopApp":
    """The ASGI application, for `httpx.AsyncClient(transport=httpx.ASGITransport(mock_asgi))`."""
    return mockserver.asgi


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


_RECORDED: "pytest.StashKey[RecordedTests]" = pytest.StashKey()
_PROJECT: "pytest.StashKey[MockProject]" = pytest.StashKey()
_SET_UP_TO: pytest.StashKey[int] = pytest.StashKey()
"""The number of the last exchange before the test itself began."""
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


def _load(item: pytest.Item, project: "MockProject", scenario: str | Path) -> None:
    try:
        project.load(scenario)
    except FileNotFoundError as error:
        raise pytest.UsageError(f"{item.nodeid}: {error}") from None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add what the project recorded to the report of a failed test."""
    report = yield
    project = item.stash.get(_PROJECT, None)
    if project is not None:
        if report.failed:
            report.sections += _sections(project, item.stash.get(_SET_UP_TO, 0))
        elif call.when == "setup":
            item.stash[_SET_UP_TO] = project.journal.last_number
    return report


def _sections(project: "MockProject", since: int) -> list[tuple[str, str]]:
    """The report sections of a failed test; none if the test deleted its project."""
    from mockserver.testing.connection import ControlApiError

    try:
        found = {
            "mockserver journal": _exchanges(project, since),
            "mockserver rules": _unused_rules(project),
            "mockserver fates": _unused_fates(project),
        }
    except ControlApiError:
        return []
    return [(title, "\n".join(lines)) for title, lines in found.items() if lines]


def _unused_fates(project: "MockProject") -> list[str]:
    """The fates that no transaction has used."""
    aims = ("kind", "chain_id", "account_id", "transaction_id")
    waiting = []
    for fate in project.call("GET", "/fates")["data"]:
        aim = ", ".join(f"{name} {fate[name]}" for name in aims if fate[name] is not None)
        waiting.append(f"{fate['outcome']} waits for a transaction: {aim}")
    return waiting


def _unused_rules(project: "MockProject") -> list[str]:
    """The scenario rules that have not taken effect."""
    return [
        f"{rule['name']} (scenario {loaded['name']}) did nothing: {rule['met']} calls met it"
        for loaded in project.call("GET", "/scenarios")["data"]
        for rule in loaded["rules"]
        if not rule["fired"]
    ]


def _exchanges(project: "MockProject", since: int) -> list[str]:
    """The last exchanges after those of the fixtures, a few lines each, with the secrets masked."""
    import json

    lines = [f"1 to {since} are of the fixtures"] if since else []
    has_rules = any(loaded["rules"] for loaded in project.call("GET", "/scenarios")["data"])
    for entry in project.journal.list(order="desc", limit=_SHOWN_EXCHANGES, since=since)[::-1]:
        target = f"{entry['path']}?{entry['query']}" if entry["query"] else entry["path"]
        rule = f"  rule {entry['rule']}" if entry["rule"] else ""
        lines.append(f"{entry['n']:>4}  {entry['method']} {target}  {entry['status']}{rule}")
        lines += [f"      hint {hint}" for hint in entry["hints"]]
        for sign, side in ((">", "request"), ("<", "response")):
            body = entry[side]["body"]
            if body is not None:
                lines.append(f"      {sign} {json.dumps(body)[:500]}")
        if has_rules and not entry["rule"]:
            lines += [
                f"      near miss: rule {miss['rule']} (scenario {miss['scenario']}): {miss['missed'][0]}"
                for miss in project.near_misses(entry["n"])[:_SHOWN_MISSES]
            ]
    return lines
