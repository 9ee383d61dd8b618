"""A secret that is planted anywhere is in no masked recording, journal, log, report, page or metric."""

import io
import json
from functools import cache
from io import BytesIO
from typing import NamedTuple

import httpx

from mockserver.api.call import Request
from mockserver.kernel.secrecy import Names
from mockserver.replay.player import Player
from mockserver.replay.targets import InProcess
from mockserver.server.answering.render import Response
from mockserver.server.assembly import ROUTES, assemble
from mockserver.server.edge.app import App
from mockserver.server.edge.log import ServerLog
from mockserver.state.saved.encoding import Line
from mockserver.state.world import World
from tests.replay.test_masking import leaves, readings
from tests.server.recording.places import places
from tests.tables import cases
from tests.transport import InProcessTransport

PLANTED = [name for name, _ in places("")]
LIVE_KEYS = [name for name in PLANTED if "live key" in name]
VIEWS = (
    *("journal?limit=1000", "effects?limit=1000", "timeline?limit=100", "report", "outbox", "timers"),
    *("snapshots", "settings", "fates", "tables/identity.users", "tables/onchain.contracts"),
    *("tables/identity.linked_accounts", "tables/identity.sessions"),
)
"""What the page and clients read of a project."""


class Run(NamedTuple):
    """What was recorded, and what was shown and logged, of a run with a secret in every place."""

    recorded: bytes
    texts: str
    """The recording as one who decodes it reads it."""
    shown: str


class LoggedTransport(InProcessTransport):
    """Writes a line of a log for each request."""

    def __init__(self, app: App, log: ServerLog) -> None:
        super().__init__(app)
        self._log = log

    def _respond(self, request: Request) -> Response:
        response = super()._respond(request)
        self._log.write_request(request, response, 0)
        return response


def secret_of(name: str, when: str) -> str:
    """The secret of a place, before a recording or in it."""
    return f"Planted-{when}-{PLANTED.index(name):03d}-Qz"


def plant(api: httpx.Client, when: str) -> None:
    """Make the request of each place."""
    for name in PLANTED:
        place = dict(places(secret_of(name, when)))[name]
        api.request(place.method, place.path, headers=place.headers, content=place.body)
        api.cookies.clear()


@cache
def run(masked: bool) -> Run:
    """Plant a secret everywhere, before a recording begins and again in it."""
    world, stream = World("seed"), io.StringIO()
    app = assemble(world, names=Names(("loyalty_number",)))
    log = ServerLog("text", ROUTES, lambda: 0, lambda: stream)
    project = world.create(name="tests")
    headers = {"authorization": f"Bearer {project.secret_key}"}
    control = {"accept": "application/json", **headers}
    with httpx.Client(
        transport=LoggedTransport(app, log), base_url="http://localhost", headers=headers
    ) as api:
        plant(api, "before")
        app.recordings.start(masked=masked)
        plant(api, "within")
        shown = [api.get(f"/_mock/projects/{project.id}/{view}", headers=control).text for view in VIEWS]
        shown += [api.get("/_mock/metrics").text, api.get("/_mock/projects").text]
        for since in range(0, 1_000, 25):
            api.get(f"/_mock/projects/{project.id}/journal?unmasked=true&limit=25&since={since}")
        app.recordings.stop()
    log.close()
    recorded = app.recordings.read()
    texts = {leaf for line in recorded.splitlines() for leaf in leaves(json.loads(line))}
    found = {reading for text in texts for reading in readings(text.encode("utf-8", "replace"), 3)}
    return Run(recorded, "\n".join(found), "\n".join([*shown, stream.getvalue()]))


@cases("when", "before", "within")
def test_no_secret_is_in_a_masked_recording(when: str) -> None:
    texts = run(masked=True).texts
    assert [name for name in PLANTED if secret_of(name, when) in texts] == []


def test_no_secret_is_in_a_journal_log_report_page_or_metric() -> None:
    shown = run(masked=True).shown
    assert [name for name in PLANTED if secret_of(name, "within") in shown] == []


@cases("when", "before", "within")
def test_no_undeclared_live_key_is_in_any_recording(when: str) -> None:
    texts = run(masked=False).texts
    assert [name for name in LIVE_KEYS if secret_of(name, when) in texts] == []


class StrictPlayer(Player):
    """Finds differences after a placeholder that cannot be repeated, too."""

    def _note_masks(self, number: int, line: Line) -> None:
        """Note nothing."""


@cases("masked", True, False)
def test_a_run_with_secrets_everywhere_replays_as_recorded(masked: bool) -> None:
    recorded = run(masked=masked).recorded
    player = StrictPlayer(BytesIO(recorded), InProcess())
    assert [each.differences for each in player.play()] == []
    # Only the whole journal in one answer is too long for it.
    assert recorded.count(b'"withheld"') == int(masked)
