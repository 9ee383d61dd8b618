"""Clients that never finish a request, and calls that wait, while other clients are served."""

import asyncio
import contextlib

from httpx import URL, AsyncClient

from mockserver.testing.server import LiveServer
from tests.adversary.budget import Budget

CLIENTS = 40
WAITS = 40
HALVES = [
    b"GET /v1/contracts HTTP/1.1\r\nhost: local",
    b"POST /v1/contracts HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer sk_test_slow\r\n"
    b"content-length: 900\r\n\r\n{",
    b"POST /v1/contracts HTTP/1.1\r\nhost: localhost\r\ntransfer-encoding: chunked\r\n\r\nff\r\n{",
    b"GET /_mock/projects/-/openapi.json HTTP/1.1\r\nhost: localhost\r\n\r\n" * 20,
]


def attack(budget: Budget) -> None:
    """Open them; others are answered as ever, a wait ends by its own project alone, and nothing remains."""
    with LiveServer() as server:
        for number in budget:
            asyncio.run(_crowd(server, number, budget.chance.random()))


async def _crowd(server: LiveServer, number: int, share: float) -> None:
    address = URL(server.url)
    key = {"authorization": f"Bearer sk_test_waiting{number}"}
    opened = [await asyncio.open_connection(address.host, address.port) for _ in range(CLIENTS)]
    async with AsyncClient(base_url=server.url, trust_env=False, timeout=20, headers=key) as waiting:
        waits = [
            asyncio.create_task(waiting.get(f"/_mock/projects/-/journal?wait=20&path=/v1/contracts/{place}"))
            for place in range(WAITS)
        ]
        for place, (_, writer) in enumerate(opened):
            writer.write(HALVES[place % len(HALVES)])
        async with AsyncClient(base_url=server.url, trust_env=False) as other:
            await _be_served(other, number)
            assert not any(wait.done() for wait in waits), "another project ended a wait"
            chosen = int(share * WAITS)
            await other.get(f"/v1/contracts/{chosen}", headers=key)
            answer = await waits[chosen]
            assert answer.json()["data"][0]["path"] == f"/v1/contracts/{chosen}"
        for wait in waits:
            wait.cancel()
        await asyncio.gather(*waits, return_exceptions=True)
    for _, writer in opened:
        writer.close()
        with contextlib.suppress(ConnectionResetError):
            await writer.wait_closed()


async def _be_served(client: AsyncClient, number: int) -> None:
    key = {"authorization": f"Bearer sk_test_other{number}"}
    for count in range(20):
        body = {"name": "C", "chainId": 80002, "address": f"0x{count:040x}"}
        assert (await client.post("/v1/contracts", json=body, headers=key)).status_code == 200
    listed = await client.get("/v1/contracts", headers=key)
    assert listed.json()["total"] == 20
