"""Which members of bodies and queries are read while requests are answered."""

from collections.abc import Iterable
from typing import Any

import pytest

from mockserver.api.endpoint import Endpoint
from mockserver.api.wire import Body, field_names
from mockserver.server.answering.in_progress import CallInProgress


class Recorder:
    """Which members of which models were read, by the operation that was answering."""

    def __init__(self) -> None:
        self.operation = ""
        self.reads: set[tuple[str, str, str]] = set()
        self.handed_on: set[tuple[str, str, str]] = set()

    def note(self, model: type, name: str) -> None:
        """A member was read."""
        self.reads.add((self.operation, model.__qualname__, name))

    def note_handed_on(self, model: type, names: Iterable[str]) -> None:
        """All given members were taken as a mapping."""
        self.handed_on.update((self.operation, model.__qualname__, name) for name in names)


class Members(dict[str, Any]):
    """The given members of a body, which tells when one is taken out."""

    def __init__(self, recorder: Recorder, body: Body, given: dict[str, Any]) -> None:
        super().__init__(given)
        self._recorder = recorder
        self._body = type(body)
        recorder.note_handed_on(self._body, given)

    def __getitem__(self, name: str) -> Any:
        self._recorder.note(self._body, name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        self._recorder.note(self._body, name)
        return super().get(name, default)

    def pop(self, name: str, *default: Any) -> Any:
        self._recorder.note(self._body, name)
        return super().pop(name, *default)


def watch(recorder: Recorder, patch: pytest.MonkeyPatch) -> None:
    """Make every body and query tell what is read of it."""
    given_members, run = Body.given_members, CallInProgress._run

    def read(self: Body, name: str) -> Any:
        model: Any = type(self)
        if not name.startswith("_") and name in field_names(model):
            recorder.note(type(self), name)
        return object.__getattribute__(self, name)

    def given(self: Body) -> Members:
        return Members(recorder, self, given_members(self))

    def watched(self: CallInProgress, endpoint: Endpoint, identified: Any) -> Any:
        recorder.operation = endpoint.operation
        return run(self, endpoint, identified)

    patch.setattr(Body, "__getattribute__", read, raising=False)
    patch.setattr(Body, "given_members", given)
    patch.setattr(CallInProgress, "_run", watched)
