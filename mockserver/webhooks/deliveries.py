"""The life of deliveries: they wait, become due, are sent, and are sent again if that fails."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from mockserver.api.values import to_json
from mockserver.domain.identity.mail import send_mail
from mockserver.kernel.machine import Machine, Transition
from mockserver.kernel.timers import Timer
from mockserver.state.outbox import Attempt, Delivery, DeliveryFate, DeliveryOutcome, Trigger
from mockserver.state.project import Project
from mockserver.webhooks.targets import inbox_of, is_allowed

KIND = "delivery"

LIFECYCLE = Machine(
    "Webhook delivery",
    initial=["waiting", "due", "held", "lost"],
    terminal=["succeeded", "failed", "lost"],
    undoing=["redeliver"],
    transitions=[
        Transition("waiting", "send", "due"),
        Transition("waiting", "hold", "held"),
        Transition("waiting", "succeed", "succeeded"),
        Transition("waiting", "retry", "waiting"),
        Transition("waiting", "fail", "failed"),
        *(Transition(state, "succeed", "succeeded") for state in ("due", "held")),
        *(Transition(state, "retry", "waiting") for state in ("due", "held")),
        *(Transition(state, "fail", "failed") for state in ("due", "held")),
        *(Transition(state, "redeliver", "waiting") for state in ("succeeded", "failed", "lost")),
    ],
)

_AT_CREATION: tuple[DeliveryOutcome, ...] = ("lost", "late", "twice", "reordered", "corrupted")


class Result(NamedTuple):
    """What came of an attempt: the receiver's answer, or why there was none."""

    answered: int | None = None
    error: str | None = None
    response: str = ""

    @property
    def is_success(self) -> bool:
        """Whether the receiver took it."""
        return self.answered in range(200, 300)


def announce(project: Project, topic: str, resource_id: str, data: Mapping[str, Any]) -> int:
    """Make the deliveries of a change, one to each active trigger of its topic; returns how many."""
    triggers = project.webhooks.triggers.find("open_topic", topic)
    body = to_json({"type": topic, "data": data, "date": project.clock.now_s}).decode()
    for trigger in triggers:
        _create(project, trigger, resource_id, body)
    return len(triggers)


def _create(project: Project, trigger: Trigger, resource_id: str, body: str) -> None:
    fate = _take_fate(project, trigger.topic, trigger.target, _AT_CREATION)
    outcome = None if fate is None else fate.outcome
    deliveries = project.webhooks.deliveries
    held_back = deliveries.find("held_back", trigger.id)
    for _ in range(2 if outcome == "twice" else 1):
        row = Delivery(
            id=project.new_id("dlv"),
            created_ms=project.clock.now_ms,
            topic=trigger.topic,
            resource_id=resource_id,
            subscription_id=trigger.subscription_id,
            trigger_id=trigger.id,
            kind=trigger.kind,
            target=trigger.target,
            body=body,
            status="lost" if outcome == "lost" else "waiting",
            fate=outcome,
        )
        deliveries.insert(row)
        if outcome not in ("lost", "reordered"):
            late_ms = 0 if fate is None else fate.after_ms or 0
            _schedule(project, row, project.settings.webhook_delay_ms + late_ms)
    for earlier in held_back:
        _schedule(project, earlier, project.settings.webhook_delay_ms)


def _take_fate(
    project: Project, topic: str, target: str, outcomes: tuple[DeliveryOutcome, ...]
) -> DeliveryFate | None:
    """The first fate for such a delivery, which is used up by it."""
    fates = project.webhooks.fates
    for fate in fates:
        if fate.outcome in outcomes and fate.topic in (None, topic) and fate.target in (None, target):
            if fate.nth > 1:
                fates.replace(fate._replace(nth=fate.nth - 1))
                continue
            if fate.remaining == 1:
                fates.remove(fate.id)
            elif fate.remaining is not None:
                fates.replace(fate._replace(remaining=fate.remaining - 1))
            return fate
    return None


def _schedule(project: Project, row: Delivery, delay_ms: int) -> None:
    """Send a delivery after a time, or at once."""
    if not delay_ms:
        send_now(project, row)
        return
    due_ms = project.clock.now_ms + delay_ms
    project.webhooks.deliveries.replace(row._replace(due_ms=due_ms))
    project.timers.set(due_ms, KIND, row.id, "send")


def send_now(project: Project, row: Delivery) -> Delivery:
    """Let a delivery that waits be due: what needs no network has arrived then."""
    project.timers.cancel(KIND, row.id)
    row = row._replace(due_ms=None)
    trigger = project.webhooks.triggers.get(row.trigger_id)
    if trigger is None or not trigger.active:
        return _move(project, row, "fail")
    if row.kind == "email":
        send_mail(project, row.target, row.topic, subject=row.topic, text=row.body)
        return finish(project, row, Result(200))
    fate = _take_fate(project, row.topic, row.target, ("answered",))
    if fate is not None:
        return finish(project, row, Result(fate.status))
    if inbox_of(project, row.target) is not None:
        return finish(project, row, Result(200))
    return _move(project, row, "send" if is_allowed(project, row.target) else "hold")


def on_timer(project: Project, timer: Timer) -> tuple[str, str] | None:
    """Send a delivery whose time has come."""
    row = project.webhooks.deliveries.get(timer.row_id)
    return None if row is None else (row.status, send_now(project, row).status)


def finish(project: Project, row: Delivery, result: Result) -> Delivery:
    """Note what came of an attempt. One that failed is made again later, as often as the setting says."""
    project.webhooks.attempts.insert(
        Attempt(
            project.new_id("eve"),
            project.clock.now_ms,
            row.id,
            row.subscription_id,
            row.trigger_id,
            row.topic,
            "success" if result.is_success else "failed",
            *result,
        )
    )
    row = row._replace(attempts=row.attempts + 1)
    is_active = _count(project, row.trigger_id, has_failed=not result.is_success)
    if result.is_success:
        return _move(project, row, "succeed")
    delays = project.settings.webhook_retries_ms
    if not is_active or row.attempts > len(delays):
        return _move(project, row, "fail")
    _schedule(project, _move(project, row, "retry"), max(1, delays[row.attempts - 1]))
    return project.webhooks.deliveries[row.id]


def _count(project: Project, trigger_id: str, *, has_failed: bool) -> bool:
    """Count the failures of a trigger, which is deactivated after too many; whether it is active."""
    trigger = project.webhooks.triggers.get(trigger_id)
    if trigger is None:
        return False
    failures = trigger.failures + 1 if has_failed else 0
    active = trigger.active and failures < project.settings.webhook_failures
    updated_ms = trigger.updated_ms if active == trigger.active else project.clock.now_ms
    counted = trigger._replace(failures=failures, active=active, updated_ms=updated_ms)
    if counted != trigger:
        project.webhooks.triggers.replace(counted)
    return active


def redeliver(project: Project, row: Delivery) -> Delivery:
    """Send a delivery again that has ended, with the same body; its attempts are counted anew."""
    return send_now(project, _move(project, row._replace(attempts=0, fate=None), "redeliver"))


def _move(project: Project, row: Delivery, event: str) -> Delivery:
    status: Any = LIFECYCLE.targets[row.status, event]
    return project.webhooks.deliveries.replace(row._replace(status=status))
