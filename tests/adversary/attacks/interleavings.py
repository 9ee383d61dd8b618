"""Stories of several projects at the same time, call by call in any order."""

import random
from collections import deque
from collections.abc import Sequence
from functools import cache
from http.cookiejar import DefaultCookiePolicy

from httpx import Client

from mockserver.server.assembly import assemble
from mockserver.state.world import World
from tests.adversary.budget import Budget
from tests.regression.comparison import SEALED
from tests.regression.exchanges import Answer, Exchange, Request
from tests.regression.server import HOST
from tests.regression.story import Send, Story
from tests.regression.whole_story import JOURNEYS, Journey
from tests.transport import InProcessTransport

TOGETHER = 3


def attack(budget: Budget) -> None:
    """Play them together: each project answers, byte by byte, as it does alone."""
    for _ in budget:
        journeys = budget.chance.sample(JOURNEYS, TOGETHER)
        send = server()
        for exchange in shuffled(budget.chance, [alone(journey) for journey in journeys]):
            answer = send(exchange.request)
            if exchange.operation not in SEALED and not is_about_all(exchange):
                assert answer == exchange.answer, exchange


def server() -> Send:
    """A fresh world, and the way to it."""
    client = Client(transport=InProcessTransport(assemble(World("fixed"))), base_url=f"http://{HOST}")
    client.cookies.jar.set_policy(DefaultCookiePolicy(allowed_domains=[]))

    def send(request: Request) -> Answer:
        content = request.body.encode("utf-8", "surrogateescape")
        headers = {name.encode(): value.encode() for name, value in request.headers.items()}
        heard = client.request(request.method, request.path, headers=headers, content=content)
        told = [[name, value] for name, value in heard.headers.multi_items()]
        return Answer(heard.status_code, told, heard.content.decode("utf-8", "surrogateescape"))

    return send


@cache
def alone(journey: Journey) -> tuple[Exchange, ...]:
    """The story of a journey that nothing else disturbs."""
    story = Story(server())
    journey(story)
    return tuple(story.exchanges)


def is_about_all(exchange: Exchange) -> bool:
    """Whether an answer is about the server's projects rather than about one of them."""
    request = exchange.request
    return request.method == "GET" and request.path.partition("?")[0] == "/_mock/projects"


def shuffled(chance: random.Random, stories: Sequence[Sequence[Exchange]]) -> list[Exchange]:
    """The exchanges of all stories in any order that keeps the order of each."""
    rest = [deque(story) for story in stories]
    turns = [number for number, story in enumerate(stories) for _ in story]
    chance.shuffle(turns)
    return [rest[number].popleft() for number in turns]
