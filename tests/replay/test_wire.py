"""What differs between a recorded answer and one that arrives, beside what is added while it is sent."""

from typing import cast

from mockserver.replay.connection import Connection
from mockserver.replay.wire import compare_sent
from tests.tables import cases

Headers = list[list[str]]


class Arrived:
    """A connection on which an answer has arrived."""

    def __init__(self, headers: Headers) -> None:
        self._headers = headers

    def receive(self, within_s: float | None) -> dict[str, object]:
        return {"status": 200, "headers": self._headers}


def differences(recorded: Headers, arrived: Headers) -> int:
    answer = {"status": 200, "headers": recorded}
    connection = cast(Connection, Arrived(arrived))
    return len(compare_sent({"path": "/v1/contracts"}, answer, answer, connection))


@cases(
    "recorded, arrived",
    ([], [["access-control-allow-origin", "*"]]),
    ([], [["vary", "Origin"]]),
    ([["vary", "Accept"]], [["vary", "Accept, Origin"]]),
    ([["vary", "Origin"]], [["vary", "Origin"]]),
    ([["vary", "Accept, Origin"]], [["vary", "Accept, Origin"]]),
    (
        [["x-a", "Accept, Origin"], ["vary", "Accept"]],
        [["x-a", "Accept, Origin"], ["vary", "Accept, Origin"]],
    ),
    ([["access-control-allow-origin", "*"]], [["access-control-allow-origin", "*"]]),
)
def test_a_pages_headers_are_no_difference(recorded: Headers, arrived: Headers) -> None:
    assert differences(recorded, arrived) == 0


@cases(
    "recorded, arrived",
    ([["vary", "Accept"]], [["vary", "Cookie"]]),
    ([["vary", "Accept"]], []),
    ([["access-control-allow-origin", "*"]], [["access-control-allow-origin", "https://shop.example"]]),
    ([["x-a", "Origin"]], [["x-a", ""]]),
    ([], [["x-a", "1"]]),
)
def test_other_headers_are_differences(recorded: Headers, arrived: Headers) -> None:
    assert differences(recorded, arrived) > 0
