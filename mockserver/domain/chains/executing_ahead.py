"""Executions that take long, ahead of the transaction that changes the project at once.

While a transaction is executed nothing may come in between. So what takes long is executed before, in a copy
of the project and in slices between which other calls are answered, and kept with all that it has asked of
the copy and changed in it. The transaction takes what was kept if the project gives the same answers, and the
changes of contracts without code are made in it. Else it is executed when it is mined.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from mockserver.domain.chains.execution import Executor, Reader, copy_now
from mockserver.kernel.effort import TakesLong, Work
from mockserver.kernel.undo import Undo
from mockserver.state.project import Project

if TYPE_CHECKING:
    from mockserver.chain.evm.frames import Call, Unsupported
    from mockserver.chain.evm.interpreter import CallTrace, Execution
    from mockserver.chain.evm.state import Environment, State

_MOST_KEPT_GAS = 1 << 26
"""The gas of the executions of a project that are kept, which bounds their memory: four transactions."""
_CHANGES = frozenset({"insert", "put", "remove", "replace", "roll_back_to"})
"""The names of what changes something, besides answering."""


class _Notes:
    """All that an execution asks of parts of a project and changes in them, in order.

    Until something is changed a question has the same answer, and is noted once.
    """

    def __init__(self) -> None:
        self._all: list[tuple[int, str, tuple[Any, ...], Any]] = []
        self._known: dict[Hashable, Any] = {}

    def do(self, number: int, target: object, name: str, *arguments: Any) -> Any:
        """What comes of a member of the target with this number."""
        question = number, name, arguments
        if name in _CHANGES:
            answer = _come_of(target, name, arguments)
            self._all.append((*question, None))
            self._known.clear()
            return answer
        if question not in self._known:
            self._known[question] = answer = _come_of(target, name, arguments)
            self._all.append((*question, answer))
        answer = self._known[question]
        return [*answer] if type(answer) is list else answer

    def repeat(self, targets: Sequence[object]) -> bool:
        """Whether the same comes of the same questions, asked of other targets; changes are made in these."""
        for number, name, arguments, before in self._all:
            answer = _come_of(targets[number], name, arguments)
            if name not in _CHANGES and answer != before:
                return False
        return True


class _Noted:
    """Something whose members are used, all of which is noted."""

    def __init__(self, notes: _Notes, number: int, target: object) -> None:
        self._target = target
        self._do = partial(notes.do, number, target)

    def __getattr__(self, name: str) -> Any:
        is_method = callable(getattr(self._target, name))
        # Only what methods answer is changed by an execution: the rest is asked for once.
        found = self.__dict__[name] = partial(self._do, name) if is_method else self._do(name)
        return found

    def __contains__(self, row_id: str) -> bool:
        return bool(self._do("__contains__", row_id))

    def __getitem__(self, row_id: str) -> Any:
        return self._do("__getitem__", row_id)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._do("__iter__"))

    def __len__(self) -> int:
        return cast("int", self._do("__len__"))


def _come_of(target: object, name: str, arguments: tuple[Any, ...]) -> Any:
    found = getattr(target, name)
    answer = found(*arguments) if callable(found) else found
    return list(answer) if name == "__iter__" else answer


class _UndoSince:
    """The undo log of a project, with the savepoints counted from one on."""

    def __init__(self, undo: Undo) -> None:
        self._undo = undo
        self._begun = undo.savepoint()

    def savepoint(self) -> int:
        return self._undo.savepoint() - self._begun

    def roll_back_to(self, savepoint: int) -> None:
        self._undo.roll_back_to(self._begun + savepoint)


def _parts_of(project: Project, environment: object) -> dict[str, object]:
    """What an execution depends on and changes, by the names of its places in a project."""
    own = {name: getattr(project, name) for name in ("clock", "entropy", "settings")}
    undo = _UndoSince(project.undo)
    return {**dict(project.named_tables()), **own, "undo": undo, "environment": environment}


def _note_parts(copy: Project, environment: Environment) -> tuple[_Notes, Environment]:
    """Have all that is asked of a copy, and of an environment, noted."""
    notes, noted = _Notes(), environment
    for number, (path, part) in enumerate(_parts_of(copy, environment).items()):
        group, _, name = path.rpartition(".")
        part = _Noted(notes, number, part)
        if name == "environment":
            noted = cast("Any", part)
        else:
            setattr(getattr(copy, group) if group else copy, name, part)
    return notes, noted


class _Kept(NamedTuple):
    """An execution that was made ahead."""

    notes: _Notes
    began: State
    """The state of the transaction before it."""
    state: State
    """The state after it."""
    made: CallTrace | Unsupported
    """What came of it."""
    gas_used: int


class AheadExecutor(Executor):
    """Executes the calls of a transaction that changes the project at once, if not ahead of it."""

    _made = 0
    """How many calls were made."""

    def _run(self, key: Hashable, call: Call, make: Callable[..., Execution]) -> Execution:
        self._made += 1
        ahead = self._project.ahead
        what = key, self._made, self.amend, frozenset(self.natives.paymasters), self._watch
        kept = self._take(what)
        if kept is not None:
            if isinstance(kept.made, Exception):
                raise kept.made
            self._state = kept.state.copy(self._reader, self.natives.find)
            return kept.made
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
        raise TakesLong(self._execute_in(copy_now(self._project), what, began, call, make))

    def _take(self, what: Hashable) -> _Kept | None:
        """What was kept of an execution, if the same would come of it here. What is native is done."""
        kept = self._project.ahead.kept
        found: _Kept | None = kept.pop(what, None)
        if found is None or not found.began.is_like(self._state):
            return None
        savepoint = self._project.undo.savepoint()
        is_same = found.notes.repeat([*_parts_of(self._project, self.environment).values()])
        if isinstance(found.made, Exception) or not is_same:
            self._project.undo.roll_back_to(savepoint)
        if not is_same:
            return None
        kept[what] = found
        return found

    def _execute_in(
        self, copy: Project, what: Hashable, began: State, call: Call, make: Callable[..., Execution]
    ) -> Work[None]:
        """Make a call in a copy of the project, and keep what comes of it."""
        from mockserver.chain.evm.frames import Unsupported
        from mockserver.domain.chains.native_contracts import NativeContracts

        notes, environment = _note_parts(copy, self.environment)
        natives = NativeContracts(copy, self._chain_id)
        natives.paymasters |= self.natives.paymasters
        state = began.copy(Reader(copy, self._chain_id, natives), natives.find)
        yield
        made: CallTrace | Unsupported
        try:
            made = yield from make(state, environment, call, self._watch)
            gas_used = made.gas_used
        except Unsupported as error:
            made, gas_used = error, call.gas
        kept = self._project.ahead.kept
        kept[what] = _Kept(notes, began, state, made, gas_used)
        while len(kept) > 1 and sum(each.gas_used for each in kept.values()) > _MOST_KEPT_GAS:
            del kept[next(iter(kept))]
        # What is begun anew now, and takes what was kept, is a step of its own.
        yield
