"""What the rules of scenarios do to a call."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

from mockserver import errors
from mockserver.api.call import Request
from mockserver.api.endpoint import Endpoint
from mockserver.domain.transactions.fates import set_fate
from mockserver.errors import ApiError
from mockserver.scenario.active_faults import ActiveFault, activate, admit_fault
from mockserver.scenario.matching import is_chosen, meets
from mockserver.scenario.request_view import RequestView
from mockserver.scenario.schema import LoadedRule
from mockserver.scenario.then import ErrorSpec, LimitSpec, Then
from mockserver.state.onchain import Fate
from mockserver.state.project import Project
from mockserver.state.requests import RuleState

_BLANK = re.compile(r"\{([a-z_]+)\}")
_SUCCESS = range(200, 300)

Headers = tuple[tuple[bytes, bytes], ...]


@dataclass(slots=True)
class RuleEffects:
    """What a rule wants of a call."""

    project: Project
    rule_id: str
    rule: str
    """Its name."""
    generation: int
    """That of the project when the rule decided."""
    answer: tuple[int, Headers, bytes] | None = None
    error: ApiError | None = None
    delay_ms: int = 0
    patch: Mapping[str, Any] | None = None
    fate_id: str | None = None
    """The fate that waits for a transaction of this call."""
    fault: ActiveFault | None = None

    def is_over(self) -> bool:
        """Whether a reset, a restored snapshot or unloading has ended the rule since it decided."""
        project = self.project
        return project.generation != self.generation or self.rule_id not in project.requests.rule_states

    @property
    def header(self) -> str:
        """The rule's name in ASCII, as a header and the log have it."""
        return self.rule.encode("ascii", "replace").decode()

    def change(
        self, status: int, headers: Headers, body: bytes, delay_ms: int
    ) -> tuple[int, Headers, bytes, int]:
        """A response as the rule changes it, which names the rule in a header."""
        headers = (*headers, (b"x-mockserver-rule", self.header.encode()))
        body = self._patch_body(status, body)
        if self.fault is not None:
            status, headers, body = self.fault.change(status, headers, body)
        return status, headers, body, delay_ms + self.delay_ms

    def _patch_body(self, status: int, body: bytes) -> bytes:
        """The body merged with the rule's patch, if the response succeeds and is JSON."""
        if self.patch is None or status not in _SUCCESS:
            return body
        try:
            document = from_json(body)
        except ValueError:
            return body
        return json.dumps(merge(document, self.patch), separators=(",", ":"), ensure_ascii=False).encode()


def merge(target: Any, patch: Any) -> Any:
    """A JSON merge patch (RFC 7396): objects are merged, null removes, everything else replaces."""
    if not isinstance(patch, Mapping):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = merge(result.get(name), value)
    return result


def apply_rules(view: RequestView, path: Mapping[str, str]) -> RuleEffects | None:
    """What the first rule that matches wants, or None.

    Rules are asked in the order of their file, those of the scenario that was loaded last first.
    Everything is counted for good, even if the call is rejected later; only a fate goes with it.
    """
    project = view.project
    chosen = _choose(project, view)
    if chosen is None:
        return None
    rule, error = chosen
    then = rule.then
    if then.error is not None:
        error = _make_error(then.error, view.endpoint, view.request, path)
    if then.state is not None:
        project.scenario_state = then.state
    fault = None if then.fault is None else activate(project, then.fault, is_answered=_is_answered(then))
    project.undo.mark()
    fate = set_fate(project, then.fate, for_call=True) if then.fate is not None else None
    return RuleEffects(
        project=project,
        generation=project.generation,
        rule_id=rule.id,
        rule=rule.name,
        answer=then.answer.encode_answer() if then.answer is not None else None,
        error=error,
        delay_ms=then.delay,
        patch=then.patch,
        fate_id=fate.id if fate is not None else None,
        fault=fault,
    )


def _is_answered(then: Then) -> bool:
    return then.answer is not None or then.error is not None


def take_unused_fate(project: Project, effects: RuleEffects | None) -> Fate | None:
    """Remove the fate that was meant for this call's transaction, if none has used it, and return it."""
    fate = project.onchain.fates.get(effects.fate_id or "") if effects is not None else None
    if fate is not None:
        project.onchain.fates.remove(fate.id)
    return fate


def _choose(project: Project, view: RequestView) -> tuple[LoadedRule, ApiError | None] | None:
    """The rule that decides, and the error of its limit. Every rule that is met counts the call."""
    states = project.requests.rule_states
    chosen: tuple[LoadedRule, ApiError | None] | None = None
    for loaded in reversed(list(project.scenarios)):
        for rule in loaded.index.find(view):
            if not meets(rule, view):
                continue
            state = states.get(rule.id) or states.insert(RuleState(rule.id))
            state = state._replace(met=state.met + 1)
            if chosen is None and is_chosen(project, rule, state.met):
                state, fires, error = _fire(project, rule, state, view)
                if fires:
                    state = state._replace(fired=state.fired + 1)
                    chosen = rule, error
            states.spend(state)
    return chosen


def _fire(
    project: Project, rule: LoadedRule, state: RuleState, view: RequestView
) -> tuple[RuleState, bool, ApiError | None]:
    """Whether a rule decides about a call that it is about, and the error of its limit."""
    limit, fault = rule.then.limit, rule.then.fault
    if limit is not None:
        state, error = _count(state, limit, project.clock.now_ms)
        return state, error is not None, error
    if fault is not None:
        state, fires = admit_fault(project, fault.options, state, view.request)
        return state, fires, None
    return state, True, None


def _count(state: RuleState, limit: LimitSpec, now_ms: int) -> tuple[RuleState, ApiError | None]:
    """The window with one call more in it, or the error when it is full."""
    if now_ms - state.window_started_ms >= limit.per or state.window_count == 0:
        state = state._replace(window_started_ms=now_ms, window_count=0)
    if state.window_count < limit.count:
        return state._replace(window_count=state.window_count + 1), None
    wait_s = str(-(-(state.window_started_ms + limit.per - now_ms) // 1000))
    headers = {"retry-after": wait_s, "x-retry-after": wait_s}
    return state, ApiError(errors.RATE_LIMITED, headers=headers)


def _make_error(spec: ErrorSpec, endpoint: Endpoint, request: Request, path: Mapping[str, str]) -> ApiError:
    """The error of a code, its message filled in from the call as far as that goes."""
    row = errors.find_row(spec.code, endpoint.errors)
    assert row is not None
    message = spec.message
    if message is None:
        values = _values(request, path)
        message = _BLANK.sub(lambda blank: str(values.get(blank[1], f"({blank[1]})")), row.message)
    return ApiError(row._replace(message=message), param=spec.param)


def _values(request: Request, path: Mapping[str, str]) -> Mapping[str, Any]:
    """What a call says, by the names that messages use."""
    said: dict[str, Any] = {
        "method": request.method,
        "reason": "a scenario says so",
        "summary": "a scenario says so",
    }
    try:
        body = from_json(request.body)
    except ValueError:
        body = None
    if isinstance(body, dict):
        said |= {_snake_case(name): value for name, value in body.items() if isinstance(value, (str, int))}
    return {**said, "path": request.path, **path}


def _snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()
