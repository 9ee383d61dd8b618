"""Executions that take long, ahead of the transaction that changes the project at once.

While a transaction is executed nothing may come in between. So what takes long is executed before, in slices
between which other calls are answered, and kept with all that it has read. The transaction takes what was
kept if it would read the same; else it is executed when it is mined.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from mockserver.domain.chains.execution import Session
from mockserver.kernel.effort import TakesLong
from mockserver.state.project import Project

if TYPE_CHECKING:
    from mockserver.chain.evm.frames import Call
    from mockserver.chain.evm.interpreter import CallTrace, Execution, Watch
    from mockserver.chain.evm.state import State

_MOST_KEPT = 8
"""How many executions of a project are kept."""


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
        if watch is None and project.ahead.is_possible:
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
            if not self._calls_native and self._project.ahead.begin(key):
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
