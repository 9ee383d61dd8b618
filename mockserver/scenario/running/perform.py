"""Performing the actions of a rule that take time, move the clock or send a message."""

import math
from collections.abc import Callable

from mockserver.api.waiting import Later, Until
from mockserver.domain.identity.mail import send_mail, send_sms
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.kernel import timestamps
from mockserver.scenario.grammar.timed import ClockDelay, Message, MoveClock, RealDelay, TimedAction
from mockserver.state.project import Project


def perform(project: Project, action: TimedAction, is_over: Callable[[], bool]) -> Later[int]:
    """Perform an action, for good; by how many milliseconds of real time a delay holds the call up.

    A delay ends when `is_over()`.
    """
    match action:
        case RealDelay():
            yield Until(is_over, real_ms=action.real)
            return action.real
        case ClockDelay():
            clock = project.clock
            due_ms = min(clock.now_ms + action.ms, timestamps.LAST_MS)
            held_up_ms = 0 if clock.mode == "frozen" else math.ceil(clock.real_wait_ms(due_ms))
            yield Until(is_over, due_ms=due_ms)
            return held_up_ms
        case MoveClock():
            _move_clock(project, action)
        case Message():
            _send(project, action)
    project.commit()
    return 0


def _move_clock(project: Project, move: MoveClock) -> None:
    clock = project.clock
    moment_ms = clock.now_ms + move.ms if move.is_relative else move.ms
    if moment_ms > clock.now_ms:
        TIMER_LOOP.advance(project, min(moment_ms, timestamps.LAST_MS))


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
