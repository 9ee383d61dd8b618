"""What the rules of scenarios do to a call."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import GeneratorType
from typing import Any, TypeVar

from pydantic_core import from_json

from mockserver.api.call import Parts, RawHeaders
from mockserver.api.values import to_json
from mockserver.api.waiting import Later, Until, go_on_with
from mockserver.domain.identity.mail import send_mail, send_sms
from mockserver.domain.transactions.fates import set_fate
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.errors import ApiError
from mockserver.kernel import timestamps
from mockserver.scenario.grammar.schema import LoadedRule
from mockserver.scenario.grammar.then import Actions
from mockserver.scenario.grammar.timed import ClockDelay, Message, MoveClock, RealDelay, TimedAction
from mockserver.scenario.running.active_faults import ActiveFault, activate, admit_fault
from mockserver.scenario.running.error_messages import make_error
from mockserver.scenario.running.matching import is_chosen, meets
from mockserver.scenario.running.rate_limiting import Counted, NameCaller, count_call, make_refusal
from mockserver.scenario.running.request_view import RequestView
from mockserver.state.onchain import Fate
from mockserver.state.outbox import DeliveryFate
from mockserver.state.project import Project
from mockserver.state.requests import RuleState

R = TypeVar("R")


@dataclass(slots=True)
class RuleEffects:
    """What a rule wants of a call."""

    project: Project
    rule_id: str
    rule: str
    """Its name."""
    generation: int
    """That of the project when the rule decided."""
    then: Actions
    answer: tuple[int, RawHeaders, bytes] | None = None
    """Its answer as it is sent."""
    error: ApiError | None = None
    """Its error, or that of its limit."""
    fate_id: str | None = None
    """The fate that waits for a transaction of this call."""
    fault: ActiveFault | None = None
    delay_ms: int = 0
    """By how many milliseconds of real time the call was held up so far."""

    def is_over(self) -> bool:
        """Whether a reset, a restored snapshot or unloading has ended the rule since it decided."""
        project = self.project
        return project.generation != self.generation or self.rule_id not in project.requests.rule_states

    def perform(self, actions: Sequence[TimedAction]) -> Later[None]:
        """Perform actions one after the other, unless the rule is over."""
        for action in actions:
            if self.is_over():
                return
            self.delay_ms += yield from _perform(self.project, action, self.is_over)

    def parts(self, body: bytes) -> Parts | None:
        """What is sent of a body, and waited for, if its fault takes time; None for any other."""
        if self.fault is None:
            return None
        slow, timeout = self.fault.spec.slow_response, self.fault.spec.timeout
        if slow is not None:
            return self._drip(body, slow.chunk_size, slow.chunk_delay)
        return None if timeout is None else self._hang(timeout.after)

    def _drip(self, rest: bytes, size: int, pause_ms: int) -> Parts:
        """A body in pieces; what is left in one when the rule is over."""
        while rest:
            yield Until(self.is_over, real_ms=pause_ms)
            if self.is_over():
                size = len(rest)
            yield rest[:size]
            rest = rest[size:]

    def _hang(self, real_ms: int | None) -> Parts:
        yield Until(self.is_over, real_ms=real_ms)

    def begin(self) -> None:
        """Let the fates wait for what the call creates, right before it does."""
        if self.then.fate is not None:
            self.fate_id = set_fate(self.project, self.then.fate, for_call=True).id
        if self.then.delivery is not None:
            project = self.project
            fate = DeliveryFate(project.new_id("dfa"), project.clock.now_ms, self.then.delivery)
            project.webhooks.fates.insert(fate)

    def run(self, call: Callable[[], R | Later[R]], refuse: Callable[[Exception], R]) -> R | Later[R]:
        """The answer of the call: the second one if its request arrives twice, whatever the first one is."""
        if self.fault is None or self.fault.spec.duplicate_request is None:
            return call()
        try:
            first = call()
        except ApiError as refused:
            first = refuse(refused)
        return _run_after(first, call) if isinstance(first, GeneratorType) else call()

    def take_back_fate(self, project: Project) -> bool:
        """Take the fate back if no transaction of the call took it, and then the rule has not fired."""
        if self.take_unused_fate(project) is None:
            return False
        states = self.project.requests.rule_states
        state = states.get(self.rule_id)
        if state is not None:
            states.spend(state._replace(fired=state.fired - 1))
        return True

    def take_unused_fate(self, project: Project) -> Fate | None:
        """Remove the fate that was meant for this call's transaction, if none has used it, and return it."""
        fate = project.onchain.fates.get(self.fate_id)
        if fate is not None:
            project.onchain.fates.remove(fate.id)
        return fate

    @property
    def header(self) -> str:
        """The rule's name in ASCII, as a header and the log have it."""
        return self.rule.encode("ascii", "replace").decode()

    def change(self, status: int, headers: RawHeaders, body: bytes) -> tuple[int, RawHeaders, bytes]:
        """A response as the rule changes it, which names the rule in a header."""
        headers = (*headers, (b"x-mockserver-rule", self.header.encode()))
        body = self._patch_body(status, body)
        if self.fault is not None:
            status, headers, body = self.fault.change(status, headers, body)
        return status, headers, body

    def _patch_body(self, status: int, body: bytes) -> bytes:
        """The body merged with the rule's patches, if the response succeeds and is JSON."""
        if not self.then.patches or status not in range(200, 300):
            return body
        try:
            document = from_json(body)
        except ValueError:
            return body
        for patch in self.then.patches:
            document = merge(document, patch)
        return to_json(document)


def _perform(project: Project, action: TimedAction, is_over: Callable[[], bool]) -> Later[int]:
    """Perform an action, for good; by how many milliseconds of real time a delay holds the call up.

    A delay ends when `is_over()`.
    """
    clock = project.clock
    match action:
        case RealDelay():
            yield Until(is_over, real_ms=action.real)
            return action.real
        case ClockDelay():
            due_ms = min(clock.now_ms + action.ms, timestamps.LAST_MS)
            held_up_ms = 0 if clock.mode == "frozen" else math.ceil(clock.real_wait_ms(due_ms))
            yield Until(is_over, due_ms=due_ms)
            return held_up_ms
        case MoveClock():
            moment_ms = clock.now_ms + action.ms if action.is_relative else action.ms
            if moment_ms > clock.now_ms:
                TIMER_LOOP.advance(project, min(moment_ms, timestamps.LAST_MS))
        case Message():
            _send(project, action)
    project.commit()
    return 0


def _send(project: Project, message: Message) -> None:
    if message.is_mail:
        subject = message.subject or "A message"
        send_mail(
            project,
            message.to,
            message.kind,
            subject=subject,
            text=message.words,
            code=message.code,
            url=message.url,
        )
    else:
        send_sms(project, message.to, message.kind, text=message.words, code=message.code)


def _run_after(first: Later[R], call: Callable[[], R | Later[R]]) -> Later[R]:
    """The answer of a call that is made once another one has been waited for."""
    yield from first
    return (yield from go_on_with(call()))


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


def apply_rules(
    view: RequestView, path: Mapping[str, str], name_caller: NameCaller
) -> tuple[RuleEffects | None, list[Counted]]:
    """What the first rule that matches wants, or None; and the limits that the call was counted against.

    Rules are asked in the order of their file, those of the scenario that was loaded last first.
    Everything is counted for good, even if the call is rejected later; only a fate goes with it.
    """
    project = view.project
    chosen, counted = _choose(project, view, name_caller)
    effects = None
    if chosen is not None:
        rule, error = chosen
        if rule.then.error is not None:
            error = make_error(rule.then.error, project, view.endpoint, view.request, path)
        effects = _begin_effects(project, rule, error)
    project.commit()
    return effects, counted


def _begin_effects(project: Project, rule: LoadedRule, error: ApiError | None) -> RuleEffects:
    then = rule.then
    if then.state is not None:
        project.scenario_state = then.state
    is_answered = then.answer is not None or then.error is not None
    fault = None if then.fault is None else activate(project, then.fault, is_answered=is_answered)
    return RuleEffects(
        project=project,
        rule_id=rule.id,
        rule=rule.name,
        generation=project.generation,
        then=then,
        answer=then.answer.encode_answer() if then.answer is not None else None,
        error=error,
        fault=fault,
    )


def _choose(
    project: Project, view: RequestView, name_caller: NameCaller
) -> tuple[tuple[LoadedRule, ApiError | None] | None, list[Counted]]:
    """The rule that decides, with the error of its limit, and the limits that the call was counted against.

    Every rule that is met counts the call.
    """
    states = project.requests.rule_states
    chosen: tuple[LoadedRule, ApiError | None] | None = None
    counted: list[Counted] = []
    for loaded in reversed(list(project.scenarios)):
        for rule in loaded.index.find(view):
            if not meets(rule, view):
                continue
            state = states.get(rule.id) or states.insert(RuleState(rule.id))
            state = state._replace(met=state.met + 1)
            if chosen is None and is_chosen(project, rule, state.met):
                fires, against = _fire(project, rule, state, view, name_caller)
                counted += [against] if against is not None else []
                if fires:
                    first_ms = state.first_fired_ms if state.fired else project.clock.now_ms
                    state = state._replace(fired=state.fired + 1, first_fired_ms=first_ms)
                    chosen = rule, None if against is None else make_refusal(against)
            states.spend(state)
    return chosen, counted


def _fire(
    project: Project, rule: LoadedRule, state: RuleState, view: RequestView, name_caller: NameCaller
) -> tuple[bool, Counted | None]:
    """Whether a rule decides about a call that it is about, and what the call was counted against."""
    limit, fault = rule.then.limit, rule.then.fault
    if limit is not None:
        counted = count_call(project, rule, limit, view, name_caller)
        return counted is not None and not counted.allowance.is_allowed, counted
    if fault is not None:
        return admit_fault(project, fault.options, state, view.request), None
    return True, None
