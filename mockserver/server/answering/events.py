"""Calls as events of the history of their project."""

from mockserver.scenario.running.active_faults import RawHeaders
from mockserver.server.answering.in_progress import CallInProgress
from mockserver.server.answering.render import Response
from mockserver.state.history.event import NO_STATUS, Cause, Event
from mockserver.state.project import Project


def record_call(project: Project, call: CallInProgress, sent: Response | None) -> None:
    """Add a call to the history of its project: one that was answered, or that has arrived and waits."""
    history, request, effects = project.history, call.request, call.effects
    # A reset replaces the history: the response to a request from before it is not in the new one.
    if request.is_step or (call.history is not None and call.history is not history):
        return
    fault = None if effects is None else effects.fault
    answer: tuple[int | None, RawHeaders, bytes] = None, (), b""
    if sent is not None:
        is_kept_back = fault is not None and not (fault.has_effect or fault.sends_answer)
        answer = (NO_STATUS, (), b"") if is_kept_back else (sent.status, sent.headers, sent.body)
    number = history.last_number + 1
    cause: Cause = "resumed" if call.arrival else "call"
    call.arrival = call.arrival or number
    changes, fired = project.take_changes()
    history.add(
        Event(
            number,
            project.clock.now_ms,
            cause,
            call.operation,
            project.circumstances(),
            changes,
            fired,
            call.arrival,
            request.method,
            request.path,
            request.query,
            call.head_size,
            request.headers,
            request.body,
            *answer,
            None if effects is None else effects.rule,
            None if fault is None else fault.kind,
            call.hints,
        )
    )
