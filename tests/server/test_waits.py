"""Requests that wait are looked at only when what they wait for may have happened."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from httpx import ASGITransport, AsyncClient

from mockserver.api.waiting import Until
from mockserver.server.edge.app import App
from mockserver.server.edge.waits import Waits
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import AMOY, account_of
from tests.tables import cases


class Asked:
    """A condition that counts how often it is asked."""

    def __init__(self) -> None:
        self.times = 0
        self.is_met = False

    def __call__(self) -> bool:
        self.times += 1
        return self.is_met


def _fire_all(project: Project) -> None:
    """Fire every timer of the project."""
    while project.timers.pop_due(project.clock.now_ms + 1_000_000):
        pass


async def _begin(waits: Waits, project: Project, ready: Callable[[], bool]) -> asyncio.Task[None]:
    begun = asyncio.create_task(waits.wait(project, Until(ready, real_ms=20_000)))
    count = len(waits)
    while len(waits) == count:
        await asyncio.sleep(0)
    return begun


def test_a_request_to_another_project_asks_no_wait(world: World) -> None:
    mine, other, asked = world.create(name="mine"), world.create(name="other"), Asked()

    async def story() -> None:
        waits = Waits(_fire_all)
        waiting = await _begin(waits, mine, asked)
        for _ in range(100):
            waits.check(other)
        assert asked.times == 1
        asked.is_met = True
        waits.check(mine)
        await waiting
        assert asked.times == 2
        assert len(waits) == 0

    asyncio.run(story())


def test_a_timer_of_a_ticking_clock_ends_a_wait(world: World) -> None:
    project = world.create(name="mine")
    project.clock.tick(world.real_ms, 1000)
    project.timers.set(project.clock.now_ms + 1, "mine", "tin_1", "mined")

    async def story() -> None:
        waits = Waits(_fire_all)
        await waits.wait(project, Until(lambda: not len(project.timers), real_ms=20_000))
        assert not len(project.timers)

    asyncio.run(story())


def test_a_wait_ends_when_a_ticking_clock_shows_its_time(world: World) -> None:
    project, asked = world.create(name="mine"), Asked()
    project.clock.tick(world.real_ms, 1000)
    due_ms = project.clock.now_ms + 5

    async def story() -> None:
        await Waits(lambda ticking: ticking.clock.move_to(due_ms)).wait(project, Until(asked, due_ms=due_ms))
        assert project.clock.now_ms == due_ms

    asyncio.run(story())


def test_a_project_has_one_alarm_and_none_without_waits(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    project, alarms = world.create(name="mine"), list[asyncio.TimerHandle]()
    project.clock.tick(world.real_ms, 1)

    async def story() -> None:
        waits, loop = Waits(_fire_all), asyncio.get_running_loop()
        call_later = loop.call_later

        def note(*given: Any) -> asyncio.TimerHandle:
            alarms.append(call_later(*given))
            return alarms[-1]

        monkeypatch.setattr(loop, "call_later", note)
        begun = []
        for seconds in (60, 30):
            until = Until(Asked(), due_ms=project.clock.now_ms + 1000 * seconds)
            begun.append(asyncio.create_task(waits.wait(project, until)))
            while len(waits) < len(begun):
                await asyncio.sleep(0)
        assert [alarm.cancelled() for alarm in alarms] == [True, False]
        waits.end()
        await asyncio.gather(*begun)
        assert all(alarm.cancelled() for alarm in alarms)

    asyncio.run(story())


def test_a_condition_that_fails_ends_its_own_wait_and_no_other(world: World) -> None:
    project, asked, begun = world.create(name="mine"), Asked(), Asked()

    def fail() -> bool:
        if not begun():
            return False
        raise ZeroDivisionError

    async def story() -> None:
        waits = Waits(_fire_all)
        failing, waiting = await _begin(waits, project, fail), await _begin(waits, project, asked)
        begun.is_met = True
        waits.check(project)
        await failing
        assert not waiting.done()
        waits.end()
        await waiting

    asyncio.run(story())


def test_a_wait_ends_with_its_limit(world: World) -> None:
    project, asked = world.create(name="mine"), Asked()
    waits = Waits(_fire_all)
    asyncio.run(waits.wait(project, Until(asked, real_ms=1)))
    assert asked.times == 1
    assert len(waits) == 0


def test_a_wait_for_what_has_happened_meanwhile_takes_no_time(world: World) -> None:
    project, asked = world.create(name="mine"), Asked()
    asked.is_met = True
    asyncio.run(Waits(_fire_all).wait(project, Until(asked)))
    assert asked.times == 1


@cases("path", "outbox", "journal")
def test_deleting_a_project_ends_waits_for_its_happenings(app: App, path: str) -> None:
    async def story() -> None:
        transport = ASGITransport(app)
        async with AsyncClient(transport=transport, base_url="http://mock") as client:
            made = (await client.post("/_mock/projects", json={"name": "mine"})).json()
            project = f"/_mock/projects/{made['id']}"
            waiting = asyncio.create_task(client.get(f"{project}/{path}?wait=20"))
            while not len(app.waits):
                await asyncio.sleep(0)
            assert (await client.delete(project)).status_code == 200
            answer = await asyncio.wait_for(waiting, 5)
            assert answer.status_code == 404
            assert answer.json()["detail"] == f"There is no project {made['id']}."

    asyncio.run(story())


def test_deleting_a_project_ends_the_calls_waiting_in_it(app: App, project: Project) -> None:
    project.clock.tick(app.pipeline.world.real_ms, 1)
    account = account_of(project, "plain")
    project.commit()
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": "0x" + "ab" * 20}]}

    async def story() -> None:
        headers = {"authorization": f"Bearer {project.secret_key}"}
        transport = ASGITransport(app)
        async with AsyncClient(transport=transport, base_url="http://mock", headers=headers) as client:
            await client.post("/_mock/projects/-/fates", json={"outcome": "never_mined"})
            waiting = asyncio.create_task(client.post("/v2/transactions", json=body))
            while not len(app.waits):
                await asyncio.sleep(0)
            assert (await client.delete(f"/_mock/projects/{project.id}")).status_code == 200
            answer = await asyncio.wait_for(waiting, 5)
            assert (answer.status_code, answer.json()["error"]["code"]) == (409, "interrupted")

    asyncio.run(story())


@cases("ends", "client", "loop")
def test_a_client_that_leaves_does_not_end_its_call(app: App, project: Project, ends: str) -> None:
    project.clock.tick(app.pipeline.world.real_ms, 1)
    account = account_of(project, "plain")
    project.commit()
    body = {"chainId": AMOY, "accountId": account.id, "calls": [{"to": "0x" + "ab" * 20}]}
    headers = {"authorization": f"Bearer {project.secret_key}", "x-idempotency-key": "one"}

    def connect() -> AsyncClient:
        return AsyncClient(transport=ASGITransport(app), base_url="http://mock", headers=headers)

    async def leave() -> None:
        async with connect() as client:
            waiting = asyncio.create_task(client.post("/v2/transactions", json=body))
            while not len(app.waits):
                await asyncio.sleep(0)
            if ends == "client":
                waiting.cancel()
                assert (await client.post("/v2/transactions", json=body)).status_code == 409
                await client.post("/_mock/projects/-/clock/advance", json={"seconds": 60})
                while len(app.waits):
                    await asyncio.sleep(0)

    async def send_again() -> None:
        async with connect() as client:
            await client.put("/_mock/projects/-/clock", json={"mode": "frozen"})
            assert (await client.post("/v2/transactions", json=body)).json()["status"] == "successful"
            count = len((await client.get("/v2/transactions")).json()["data"])
            # What ends with its event loop is a call that was given up, whose key is free.
            assert (count, project.waiting) == (1 if ends == "client" else 2, 0)

    asyncio.run(leave())
    asyncio.run(send_again())
