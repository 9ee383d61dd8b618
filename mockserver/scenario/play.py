"""What a scenario does to a call."""

from collections.abc import Mapping
from dataclasses import dataclass

from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.errors import Refusal
from mockserver.state.project import Project


@dataclass(slots=True)
class Directions:
    """What a rule wants of a call."""

    rule: str
    answer: tuple[int, tuple[tuple[bytes, bytes], ...], bytes] | None = None
    refusal: Refusal | None = None
    delay_ms: int = 0

    def patched(self, status: int, body: bytes) -> bytes:
        """The body as the rule wants it."""
        return body


def before(
    project: Project, endpoint: Endpoint, request: Request, path: Mapping[str, str]
) -> Directions | None:
    """What the first rule that matches wants, or None."""
    return None
