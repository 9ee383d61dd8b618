"""A recorded run replays to the same bytes and rows, and what was changed in it is located."""

from mockserver.testing.server import LiveServer
from tests.replay.runs import RULES, Client, play
from tests.tables import cases


@cases("mode", "ticking", "frozen")
def test_what_a_rule_puts_off_replays(mode: str) -> None:
    with LiveServer() as server:
        project = server.control.create_project(name="held", clock={"mode": mode})
        project.load(RULES)
        server.control.start_recording()
        client = Client(project, server.url, 1)
        for path in ("held", "late", "held"):
            client.call("GET", f"/v1/contracts/{path}")
        recorded = server.control.stop_recording()
        client.close()
    player, found = play(recorded)
    assert (found, player.number) == ([], 3)
    assert b'"resume"' in recorded


def test_a_difference_at_the_end_is_of_no_request() -> None:
    with LiveServer() as server:
        project = server.control.create_project(name="held")
        project.load(RULES)
        server.control.start_recording()
        client = Client(project, server.url, 1)
        client.call("GET", "/v1/contracts/held")
        client.close()
        lines = server.control.stop_recording().splitlines(keepends=True)
    waits = next(place for place, line in enumerate(lines) if b'"waits":true' in line)
    _, (found,) = play(b"".join([*lines[: waits + 1], lines[-1]]))
    assert (found.number, found.request) == (1, None)
    assert [*found.expected] == ["end"]
