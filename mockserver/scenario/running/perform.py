"""Performing the actions of a rule that take time, move the clock or send a message."""

import math

from mockserver.domain.identity.mail import send_mail, send_sms
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.kernel import timestamps
from mockserver.scenario.grammar.timed import ClockDelay, Message, MoveClock, RealDelay, TimedAction
from mockserver.state.project import Project


def perform(project: Project, action: TimedAction, real_ms: int) -> tuple[int, int | None]:
    """Perform an action, for good.

    Returns how many milliseconds of real time have to pass before the next one, and the time on the
    project's clock that ends the wait, too.
    """
    match action:
        case RealDelay():
            return action.real, None
        case ClockDelay():
            return _delay(project, action.ms)
        case MoveClock():
            _move_clock(project, action, real_ms)
        case Message():
            _send(project, action)
    project.commit()
    return 0, None


def _delay(project: Project, span_ms: int) -> tuple[int, int | None]:
    clock, due_ms = project.clock, min(project.clock.now_ms + span_ms, timestamps.LAST_MS)
    if clock.mode == "frozen":
        TIMER_LOOP.advance(project, due_ms)
        return 0, None
    return math.ceil(clock.real_wait_ms(due_ms)), due_ms


def _move_clock(project: Project, move: MoveClock, real_ms: int) -> None:
    clock = project.clock
    moment_ms = clock.now_ms + move.ms if move.is_relative else move.ms
    if moment_ms > clock.now_ms:
        TIMER_LOOP.advance(project, min(moment_ms, timestamps.LAST_MS))
        # Without a new anchor a ticking clock would not tick until real time has caught up.
        clock.anchor(real_ms)


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
