"""Actions of rules in their order: delays, moves of the clock, messages."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from httpx import Client

from mockserver import errors
from mockserver.api.call import Request
from mockserver.api.common_errors import possible_errors
from mockserver.scenario.running.apply import unload
from mockserver.server.answering.pipeline import Outcome, WaitingCall
from mockserver.server.assembly import ENDPOINTS
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.scenario.conftest import Load, transact
from tests.tables import cases

CONTRACT = {"name": "C", "chainId": 80002, "address": f"0x{1:040x}"}
Ask = Callable[[], Outcome]


@pytest.fixture
def ask(app: App, project: Project) -> Ask:
    """Sends a call to create a contract, and waits for nothing."""
    headers = {"authorization": f"Bearer {project.secret_key}", "content-type": "application/json"}
    body = json.dumps(CONTRACT).encode()
    return lambda: app.answer(Request("POST", "/v1/contracts", "", headers, body))


def created_at_ms(api: Client, project: Project) -> int:
    """How long after the call the contract is created, on the project's clock."""
    before_ms = project.clock.now_ms
    created: int = api.post("/v1/contracts", json=CONTRACT).json()["createdAt"]
    return created * 1000 - before_ms


@cases(
    "then, created_ms, answered_ms",
    ("{delay: 2s}", 0, 2_000),
    ("[{delay: 2s}]", 0, 2_000),
    ("[{delay: 2s}, {effect: done}]", 2_000, 2_000),
    ("[{delay: 2s}, {effect: done}, {delay: 3s}, {delay: 1s}]", 2_000, 6_000),
    ("[{effect: done}, {delay: 3s}]", 0, 3_000),
    ("{clock: +5m}", 0, 300_000),
    ("[{clock: +5m}, {effect: done}]", 300_000, 300_000),
    ("{delay: 1s, clock: +5m}", 0, 301_000),
    ("[{clock: +1m}, {delay: 1s}, {effect: done}, {clock: 2026-01-01T01:00:00Z}]", 61_000, 3_600_000),
    ("[{answer: {body: {createdAt: 1767225600}}}, {delay: 2s}]", 0, 2_000),
)
def test_what_stands_before_the_effect_happens_before_it(
    load: Load, api: Client, project: Project, then: str, created_ms: int, answered_ms: int
) -> None:
    before_ms = project.clock.now_ms
    load(f"rules: [{{when: CreateContract, then: {then}}}]")
    assert created_at_ms(api, project) == created_ms
    assert project.clock.now_ms - before_ms == answered_ms


def test_a_time_that_has_passed_leaves_the_clock_as_it_is(load: Load, api: Client, project: Project) -> None:
    load("rules: [{when: GetContracts, then: {clock: 2020-01-01T00:00:00Z}}]")
    before_ms = project.clock.now_ms
    assert api.get("/v1/contracts").status_code == 200
    assert project.clock.now_ms == before_ms


def test_moving_a_ticking_clock_lets_it_tick_on(load: Load, ask: Ask, project: Project, world: World) -> None:
    project.clock.tick(world.real_ms)
    before_ms = project.clock.now_ms
    load("rules: [{when: CreateContract, then: {clock: +1h}}]")
    ask()
    assert project.clock.target_ms(world.real_ms() + 1_000) >= before_ms + 3_601_000


# --- in real time ---------------------------------------------------------------------------------------


def test_a_real_delay_before_the_effect_puts_it_off(load: Load, app: App, ask: Ask, project: Project) -> None:
    load("rules: [{when: CreateContract, then: [{delay: {real: 1h}}, {effect: done}]}]")
    before_ms = project.clock.now_ms
    pending = ask()
    assert isinstance(pending, WaitingCall)
    assert (len(project.onchain.contracts), project.history.calls) == (0, 0)
    assert pending.until.real_ms == 3_600_000
    assert not pending.until.ready()
    assert app.pipeline.finish(pending).status == 200
    assert (len(project.onchain.contracts), project.history.calls) == (1, 1)
    assert project.clock.now_ms == before_ms


def test_a_real_delay_after_it_holds_the_answer(load: Load, app: App, ask: Ask, project: Project) -> None:
    load("rules: [{when: CreateContract, then: {delay: {real: 1h}}}]")
    pending = ask()
    assert isinstance(pending, WaitingCall)
    assert (len(project.onchain.contracts), project.history.calls) == (1, 1)
    assert app.pipeline.finish(pending).delay_ms == 3_600_000


def test_several_real_delays_before_the_effect_add_up(load: Load, app: App, ask: Ask) -> None:
    load("rules: [{then: [{delay: {real: 1h}}, {delay: {real: 2h}}, {effect: done}]}]")
    first = ask()
    assert isinstance(first, WaitingCall)
    assert first.until.real_ms == 3_600_000
    second = app.pipeline.resume(first)
    assert isinstance(second, WaitingCall)
    assert second.until.real_ms == 7_200_000
    assert app.pipeline.finish(second).status == 200


def test_what_follows_a_real_delay_happens_after_it(
    load: Load, app: App, ask: Ask, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    load("rules: [{then: [{delay: {real: 1h}}, {clock: +1m}, {delay: {real: 2h}}, {clock: +1m}]}]")
    before_ms = project.clock.now_ms
    waited: list[tuple[float, int]] = []

    async def wait(woken: list[asyncio.Future[None]], timeout: float) -> None:
        waited.append((timeout, project.clock.now_ms - before_ms))

    monkeypatch.setattr("mockserver.server.edge.waits.asyncio.wait", wait)
    assert asyncio.run(app.finish(ask())).status == 200
    assert waited == [(3_600.0, 0), (7_200.0, 60_000)]
    assert project.clock.now_ms - before_ms == 120_000


def test_a_delay_on_a_ticking_clock_takes_the_clocks_time(
    load: Load, app: App, ask: Ask, project: Project, world: World
) -> None:
    project.clock.tick(world.real_ms, rate=60)
    load("rules: [{when: CreateContract, then: {delay: 2m}}]")
    before_ms = project.clock.now_ms
    pending = ask()
    assert isinstance(pending, WaitingCall)
    assert pending.until.due_ms == before_ms + 120_000
    assert app.pipeline.finish(pending).delay_ms == 2_000


def test_a_ticking_delay_ends_at_its_time(load: Load, ask: Ask, project: Project, world: World) -> None:
    project.clock.tick(world.real_ms)
    load("rules: [{when: CreateContract, then: [{delay: 2h}, {effect: done}]}]")
    pending = ask()
    assert isinstance(pending, WaitingCall)
    assert pending.until.due_ms == project.clock.now_ms + 7_200_000


def test_a_reset_refuses_what_was_held_up_before_its_effect(
    load: Load, app: App, ask: Ask, project: Project, world: World
) -> None:
    load("rules: [{when: CreateContract, then: [{delay: {real: 1h}}, {effect: done}]}]")
    pending = ask()
    assert isinstance(pending, WaitingCall)
    project.reset(world.real_ms)
    assert pending.until.ready()
    assert app.pipeline.finish(pending).status == 409
    assert (len(project.onchain.contracts), project.history.calls) == (0, 0)


def test_operations_declare_a_resets_answer_to_held_calls() -> None:
    held = [endpoint for endpoint in ENDPOINTS if endpoint.family.public]
    assert [each.operation for each in held if errors.INTERRUPTED not in possible_errors(each)] == []


def test_a_reset_refuses_a_read_that_was_held_up(
    load: Load, app: App, api: Client, project: Project, world: World
) -> None:
    contract = api.post("/v1/contracts", json=CONTRACT).json()["id"]
    load("rules: [{when: GetContract, then: [{delay: {real: 1h}}, {effect: done}]}]")
    headers = {"authorization": f"Bearer {project.secret_key}"}
    pending = app.answer(Request("GET", f"/v1/contracts/{contract}", "", headers))
    assert isinstance(pending, WaitingCall)
    project.reset(world.real_ms)
    # The fixture `as_declared` compares the answer with the OpenAPI document.
    refused = app.pipeline.finish(pending)
    assert (refused.status, b'"interrupted"' in refused.body) == (409, True)


def test_unloading_lets_held_calls_happen(load: Load, app: App, ask: Ask, project: Project) -> None:
    loaded = load("rules: [{then: [{delay: {real: 1h}}, {delay: 1h}, {effect: done}, {clock: +1h}]}]")
    before_ms = project.clock.now_ms
    pending = ask()
    assert isinstance(pending, WaitingCall)
    unload(project, loaded.id)
    assert pending.until.ready()
    assert app.pipeline.finish(pending).status == 200
    assert (len(project.onchain.contracts), project.clock.now_ms) == (1, before_ms)


# --- messages -------------------------------------------------------------------------------------------


@cases(
    "message, shown",
    (
        "{to: ada@example.com, kind: sign-in, code: 123456}",
        ("email", "sign-in", "A message", "Your one-time code is 123456.", "123456", None),
    ),
    (
        "{to: ada@example.com, subject: Hello, url: https://shop.example/x}",
        (
            "email",
            "notice",
            "Hello",
            "Follow this link: https://shop.example/x",
            None,
            "https://shop.example/x",
        ),
    ),
    ("{to: '+15550100', code: 0042, text: Code 0042}", ("sms", "notice", None, "Code 0042", "0042", None)),
    ("{to: ada, channel: email, text: Hi}", ("email", "notice", "A message", "Hi", None, None)),
)
def test_a_message_appears_in_the_outbox(
    load: Load, api: Client, project: Project, message: str, shown: tuple[Any, ...]
) -> None:
    load(f"rules: [{{when: GetContracts, then: {{outbox: {message}}}}}]")
    api.get("/v1/contracts")
    (row,) = project.outbox
    assert (row.channel, row.kind, row.subject, row.text, row.code, row.url) == shown


def test_messages_come_in_order_despite_a_refusal(load: Load, api: Client, project: Project) -> None:
    load("""
        rules:
          - when: GetContract
            then:
              - outbox: {to: ada@example.com, text: one}
              - clock: +1m
              - effect: done
              - outbox: {to: ada@example.com, text: two}
    """)
    before_ms = project.clock.now_ms
    assert api.get("/v1/contracts/con_none").status_code == 404
    assert [(row.text, row.at_ms - before_ms) for row in project.outbox] == [("one", 0), ("two", 60_000)]


def test_several_patches_are_merged_in_order(load: Load, api: Client) -> None:
    load("rules: [{when: GetContracts, then: [{patch: {a: 1, b: 1}}, {patch: {b: 2, data: null}}]}]")
    answer = api.get("/v1/contracts")
    assert (answer.json()["a"], answer.json()["b"], "data" in answer.json()) == (1, 2, False)
    assert answer.headers["content-length"] == str(len(answer.content))


def test_a_list_leads_from_state_to_state(load: Load, api: Client) -> None:
    load("""
        rules:
          - {when: {call: GetContracts, state: start}, then: [{answer: 503}, {state: down}]}
          - {when: {call: GetContracts, state: down}, then: [{answer: 502}]}
    """)
    assert [api.get("/v1/contracts").status_code for _ in range(2)] == [503, 502]


def test_a_fate_waits_for_its_call_through_a_delay(load: Load, api: Client, project: Project) -> None:
    load("""
        given:
          - {call: createBackendWallet, body: {chainType: EVM}, as: wallet}
        rules:
          - when: CreateTransaction
            then: [{clock: +1m}, {effect: done}, {fate: {outcome: reverted, reason: x}}]
    """)
    assert transact(api, project, calls=[]).status_code == 400
    assert len(project.onchain.fates) == 0
    assert transact(api, project).json()["status"] == "reverted"
