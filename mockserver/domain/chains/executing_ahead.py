"""Executions that take long, ahead of the transaction that changes the project at once.

While a transaction is executed nothing may come in between. So what takes long is executed before, in a copy
of the project and in slices between which other calls are answered, and kept with all that it has asked. The
transaction takes what was kept if the answers are the same again; asking makes the changes of contracts
without code anew. Else it is executed when it is mined.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Hashable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from mockserver.chain.abi.functions import AbiError
from mockserver.domain.chains.execution import Reader, Session, copy_now
from mockserver.domain.chains.tokens.holdings import CallReverted
from mockserver.kernel.effort import TakesLong
from mockserver.kernel.undo import Undo
from mockserver.state.project import Project

if TYPE_CHECKING:
    from mockserver.chain.evm.frames import Call
    from mockserver.chain.evm.interpreter import CallTrace, Execution
    from mockserver.chain.evm.state import State

_MOST_KEPT = 8
"""How many executions of a project are kept."""


class _Asked:
    """The questions of an execution in order, and what came of each: the answer, and what was raised.

    Some change rows. Until that happens a question has the same answer, and is noted once.
    """

    def __init__(self, undo: Undo) -> None:
        self._undo = undo
        self._all: list[tuple[str, tuple[Hashable, ...], tuple[Any, str]]] = []
        self._known: dict[Hashable, tuple[Any, Exception | None]] = {}

    def ask(self, target: object, name: str, *arguments: Hashable) -> Any:
        """The answer to a question, or raise what it raises."""
        question = name, arguments
        found = self._known.get(question)
        if found is None:
            savepoint = self._undo.savepoint()
            found = answer, raised = _come_of(target, name, arguments)
            self._all.append((name, arguments, (answer, repr(raised))))
            if self._undo.savepoint() == savepoint:
                self._known[question] = found
            else:
                self._known.clear()
        answer, raised = found
        if raised is not None:
            raise raised
        return answer

    def is_answered_alike(self, *targets: object) -> bool:
        """Whether the same comes of the same questions, asked of the first that knows them."""
        for name, arguments, before in self._all:
            target = next(each for each in targets if hasattr(each, name))
            answer, raised = _come_of(target, name, arguments)
            if (answer, repr(raised)) != before:
                return False
        return True


class _Noted:
    """What an execution asks, with all of its questions noted."""

    def __init__(self, target: object, asked: _Asked) -> None:
        self._target = target
        self._asked = asked

    def __getattr__(self, name: str) -> Any:
        ask = partial(self._asked.ask, self._target, name)
        return ask if callable(getattr(self._target, name)) else ask()


def _come_of(target: object, name: str, arguments: tuple[Any, ...]) -> tuple[Any, Exception | None]:
    found = getattr(target, name)
    try:
        return found(*arguments) if callable(found) else found, None
    except (AbiError, CallReverted) as raised:
        return None, raised


class _Kept(NamedTuple):
    """An execution that was made ahead."""

    asked: _Asked
    began: State
    """The state of the transaction before it."""
    state: State
    """The state after it."""
    trace: CallTrace


class AheadSession(Session):
    """The calls of a transaction that changes the project at once. They may have been executed ahead."""

    _made = 0
    """How many calls were made."""

    def _run(self, key: Hashable, call: Call, make: Callable[..., Execution]) -> Execution:
        self._made += 1
        ahead = self._project.ahead
        what = key, self._made, self.amend, frozenset(self.natives.paymasters), self._watch
        kept = self._take(what)
        if kept is not None:
            self._state = kept.state.copy(self._reader, self.natives.find)
            return kept.trace
        work = super()._run(key, call, make)
        if not ahead.is_possible:
            return (yield from work)
        began, savepoint = self._state.copy(self._reader, self.natives.find), self._state.savepoint()
        # What is told of each instruction is told of it once, so nothing of that is done twice.
        if self._watch is None:
            try:
                next(work)
            except StopIteration as end:
                return cast("CallTrace", end.value)
        if not ahead.begin(what):
            return (yield from work)
        self._state.roll_back_to(savepoint)
        raise TakesLong(self._execute_in(copy_now(self._project), what, began, partial(make, call=call)))

    def _take(self, what: Hashable) -> _Kept | None:
        """What was kept of an execution, if the same would come of it here. What is native is done."""
        kept = self._project.ahead.kept
        found: _Kept | None = kept.pop(what, None)
        if found is None or not found.began.is_like(self._state):
            return None
        savepoint = self._project.undo.savepoint()
        if not found.asked.is_answered_alike(self._reader, self.natives.rows, self.environment):
            self._project.undo.roll_back_to(savepoint)
            return None
        kept[what] = found
        return found

    def _execute_in(
        self, copy: Project, what: Hashable, began: State, make: Callable[..., Execution]
    ) -> Generator[None, None, None]:
        """Make a call in a copy of the project, and keep what comes of it."""
        from mockserver.chain.evm.frames import Unsupported
        from mockserver.domain.chains.native_contracts import NativeContracts

        natives, asked = NativeContracts(copy, self._chain_id), _Asked(copy.undo)
        natives.paymasters |= self.natives.paymasters
        reader: Any = _Noted(Reader(copy, self._chain_id, natives), asked)
        environment = _Noted(self.environment, asked)
        natives.rows = cast("Any", _Noted(natives.rows, asked))
        state = began.copy(reader, natives.find)
        yield
        with suppress(Unsupported):
            trace = yield from make(state, environment, watch=self._watch)
            kept = self._project.ahead.kept
            kept[what] = _Kept(asked, began, state, trace)
            while len(kept) > _MOST_KEPT:
                del kept[next(iter(kept))]
