"""How an endpoint of the control API is declared."""

from collections.abc import Callable
from typing import Unpack

from mockserver.api.access import CONTROL, NO_CREDENTIALS, PAGE
from mockserver.api.endpoint import Group, H, Options
from mockserver.errors import ErrorRow


class ControlGroup(Group):
    """Endpoints below `/_mock/projects/{p}`, or another path."""

    def __init__(self, tag: str, below: str = "/_mock/projects/{p}") -> None:
        super().__init__(tag)
        self._below = below

    def operation(
        self,
        method_and_path: str,
        operation: str,
        *errors: ErrorRow,
        is_open: bool = False,
        is_page: bool = False,
        **options: Unpack[Options],
    ) -> Callable[[H], H]:
        """Declare an endpoint at a path below the group's, or at its own by a method alone (see `Group`).

        One that `is_open` needs no control token, because health checks or browsers call it. One that
        `is_page` needs none either, but answers only to the hosts and sites that the control API answers to.
        """
        method, _, path = method_and_path.partition(" ")
        access = PAGE if is_page else NO_CREDENTIALS if is_open else CONTROL
        return self.endpoint(f"{method} {self._below}{path}", operation, access, errors=errors, **options)
