"""Hosts and origins that look like the machine's own, and are another's."""

import random

from httpx import Client

from mockserver.testing.server import LiveServer
from tests.adversary.budget import Budget

OWN = ["localhost", "127.0.0.1", "[::1]", "localhost:3000", "127.0.0.1:4242", "shop.localhost"]
FOREIGN = ["evil.example", "evil.example:80", "192.168.1.66.nip.io", "xn--80ak6aa92e.com"]
BETWEEN = [".", "-", "@", "%00", "%2e", "%40", "/", "\\", "#", "?", ":", ",", " ", ";", "\t", "_", "..", "%"]


def attack(budget: Budget) -> None:
    """Ask with them: the control API refuses every one, and tells nothing."""
    with LiveServer() as server, Client(base_url=server.url, trust_env=False) as client:
        victim = server.control.create_project()
        before = victim.clock.now
        for _ in budget:
            name = forge(budget.chance)
            scheme = budget.chance.choice(["http://", "https://", "HTTP://", "ws://", "file://", ""])
            for headers in ({"host": name}, {"origin": scheme + name}):
                listed = client.get("/_mock/projects", headers=headers)
                assert listed.status_code in (400, 403), headers
                assert victim.secret_key not in listed.text
                path = f"/_mock/projects/{victim.id}/clock/advance"
                assert client.post(path, headers=headers, json={"seconds": 60}).status_code in (400, 403), (
                    headers
                )
            assert victim.clock.now == before


def forge(chance: random.Random) -> str:
    """A foreign name, mostly with one of the machine's own in front of it."""
    own, foreign, between = chance.choice(OWN), chance.choice(FOREIGN), chance.choice(BETWEEN)
    return chance.choice([foreign, own + between + foreign, own.partition(":")[0] + between + foreign])
