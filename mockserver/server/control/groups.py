"""How an endpoint of the control API is declared."""

from collections.abc import Callable

from mockserver.api.access import NO_CREDENTIALS
from mockserver.api.endpoint import Group, H
from mockserver.errors import ErrorRow


class ControlGroup(Group):
    """Endpoints below `/_mock/projects/{p}`, or another path. They take no credentials."""

    def __init__(self, tag: str, below: str = "/_mock/projects/{p}") -> None:
        super().__init__(tag)
        self._below = below

    def operation(
        self,
        method: str,
        path: str,
        operation: str,
        *errors: ErrorRow,
        status: int = 200,
        reads: str | None = None,
        writes: tuple[str, ...] = (),
    ) -> Callable[[H], H]:
        """Declare an endpoint at a path below the group's (see `Group.endpoint`)."""
        path = self._below + path
        return self.endpoint(
            method, path, operation, NO_CREDENTIALS, status=status, errors=errors, reads=reads, writes=writes
        )
