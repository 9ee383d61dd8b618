"""Executions that take long, ahead of the transaction that changes the project at once.

While a transaction is executed nothing may come in between. So what takes long is executed before, in slices
between which other calls are answered, and kept with all that it has read. The transaction takes what was
kept if it would read the same; else it is executed when it is mined.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from mockserver.domain.chains.execution import Session
from mockserver.state.project import Project

if TYPE_CHECKING:
    from mockserver.chain.evm.frames import Call
    from mockserver.chain.evm.interpreter import CallTrace, Execution, Watch
    from mockserver.chain.evm.state import State

R = TypeVar("R")
_MOST_KEPT = 8
"""How many executions of a project are kept."""


class TakesLong(BaseException):
    """An execution was not over after a slice. What handles the errors of a call must not handle this."""

    def __init__(self, rest: Generator[None, None, None]) -> None:
        super().__init__()
        self.rest = rest
        """Goes on with it, and keeps what comes of it."""


class _CallsNative(BaseException):
    """An execution ahead has to call what changes the rows of the project."""


class _Answers:
    """What a reader or an environment has answered to an execution."""

    def __init__(self, asked: object) -> None:
        self._asked = asked
        self._answers: dict[tuple[str, tuple[Any, ...]], Any] = {}
        self.are_consistent = True
        """Whether what was asked again had the same answer."""

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._asked, name)
        return partial(self._ask, name) if callable(found) else self._ask(name)

    def would_be_of(self, other: object) -> bool:
        """Whether another one would answer the same."""
        return all(_ask(other, *question) == answer for question, answer in self._answers.items())

    def _ask(self, name: str, *arguments: Any) -> Any:
        answer = _ask(self._asked, name, arguments)
        if self._answers.setdefault((name, arguments), answer) != answer:
            self.are_consistent = False
        return answer


def _ask(asked: object, name: str, arguments: tuple[Any, ...]) -> Any:
    found = getattr(asked, name)
    return found(*arguments) if callable(found) else found


def execute_ahead(project: Project, attempt: Callable[[], R]) -> Generator[None, None, R]:
    """`attempt()`, begun anew after each execution in it that takes long, which is made in slices before."""
    ahead = project.ahead
    tried = set[Hashable]()
    while True:
        ahead.tried = tried
        savepoint, ahead.permanent = project.undo.savepoint(), len(project.undo.permanent)
        try:
            return attempt()
        except TakesLong as long:
            project.undo.roll_back_to(savepoint)
            rest = long.rest
        finally:
            ahead.permanent = None
        yield from rest


class _Kept(NamedTuple):
    """An execution that was made ahead."""

    read: _Answers
    """What it was answered about the state."""
    asked: _Answers
    """What it was answered about its block."""
    state: State
    trace: CallTrace


class AheadSession(Session):
    """The calls of a transaction that changes the project at once. The first may have been executed ahead."""

    def __init__(self, project: Project, chain_id: int, origin: str, watch: Watch | None = None) -> None:
        super().__init__(project, chain_id, origin, watch)
        self._is_first = True
        self._calls_native = self._is_ahead = False
        self._read: Any = None
        if watch is None and project.ahead.permanent is not None:
            self._read = _Answers(self._reader)
            self._state = self._state.copy(self._read, self._find_native)

    def _run(self, key: Hashable, call: Call, make: Callable[..., Execution]) -> Execution:
        is_first, self._is_first = self._is_first, False
        if not is_first or self._watch is not None or self.amend is not None:
            return (yield from super()._run(key, call, make))
        kept = self._project.ahead.kept
        found = kept.pop(key, None)
        if found and found.read.would_be_of(self._reader) and found.asked.would_be_of(self.environment):
            kept[key] = found
            self._state = found.state.copy(self._reader, self.natives.find)
            return cast("CallTrace", found.trace)
        if self._read is None:
            return (yield from super()._run(key, call, make))
        asked = _Answers(self.environment)
        work = make(self._state, asked, call, None)
        try:
            next(work)
        except StopIteration as end:
            trace: CallTrace = end.value
        else:
            ahead = self._project.ahead
            can_begin_anew = ahead.permanent == len(self._project.undo.permanent)
            if can_begin_anew and not (self._calls_native or key in ahead.tried):
                ahead.tried.add(key)
                self._is_ahead = True
                raise TakesLong(self._go_on(key, asked, work))
            trace = yield from work
        self._remember(key, asked, trace)
        # What it changes is stored now, and read from there.
        self._state = self._state.copy(self._reader, self.natives.find)
        return trace

    def _go_on(self, key: Hashable, asked: _Answers, work: Execution) -> Generator[None, None, None]:
        from mockserver.chain.evm.frames import Unsupported

        with suppress(_CallsNative, Unsupported):
            self._remember(key, asked, (yield from work))

    def _remember(self, key: Hashable, asked: _Answers, trace: CallTrace) -> None:
        if self._calls_native or not self._read.are_consistent:
            return
        kept = self._project.ahead.kept
        kept[key] = _Kept(self._read, asked, self._state, trace)
        while len(kept) > _MOST_KEPT:
            del kept[next(iter(kept))]

    def _find_native(self, address: bytes) -> Callable[[Any], Any] | None:
        found = self.natives.find(address)
        if found is not None and self._is_ahead:
            raise _CallsNative
        self._calls_native = self._calls_native or found is not None
        return found
