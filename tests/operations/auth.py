"""What tests of signing in share."""

from httpx import Response

from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.state.project import Project

AUTH = "/iam/v2/auth"


def bearer(response: Response) -> dict[str, str]:
    """The headers of the session that a response has opened."""
    return {"authorization": f"Bearer {response.json()['token']}"}


def error_of(response: Response) -> tuple[int, str]:
    """The status and code of an error, which under `/iam/v2/auth` has a code and a message and no more."""
    body = response.json()
    assert set(body) == {"code", "message"}
    assert body["message"]
    return response.status_code, body["code"]


def later(project: Project, span_ms: int) -> None:
    """Let time pass."""
    TIMER_LOOP.advance(project, project.clock.now_ms + span_ms)
