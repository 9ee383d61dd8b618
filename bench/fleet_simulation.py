"""A fleet of a thousand servers with a hundred thousand projects, by discrete events with measured costs."""

import heapq
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from hashlib import blake2b
from random import Random
from statistics import mean
from typing import NamedTuple

from mockserver.state.api_keys import tag_of

SERVERS = 1_000
PROJECTS = 100_000
_LOAD = 0.5
"""Which share of its processor a server needs for its requests, on average."""
_REQUESTS = 1_000_000
_CHECKED_S = 0.5
"""How often the balancer looks whether a server is ready."""


class Costs(NamedTuple):
    """Processor seconds of a server."""

    request_s: float
    move_s: float
    """For the state of a project, which is taken and put."""


class Ring:
    """Consistent hashing as HAProxy does it: some points for each server, and the next point takes a tag."""

    def __init__(self, points: int) -> None:
        self._points_of_server = points
        self._ring: list[tuple[int, int]] = []

    def add(self, server: int) -> None:
        """A server comes."""
        points = ((_hash(f"{server}/{point}"), server) for point in range(self._points_of_server))
        self._ring = sorted([*self._ring, *points])

    def fill(self, servers: int) -> None:
        """All servers come at once."""
        every = ((server, point) for server in range(servers) for point in range(self._points_of_server))
        self._ring = sorted((_hash(f"{server}/{point}"), server) for server, point in every)

    def remove(self, server: int) -> None:
        """A server goes."""
        self._ring = [entry for entry in self._ring if entry[1] != server]

    def server_of(self, tag: str) -> int:
        """The server that has the projects with a tag."""
        place = bisect_left(self._ring, (_hash(tag), -1))
        return self._ring[place % len(self._ring)][1]


def _hash(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest())


def simulate(costs: Costs) -> Iterator[str]:
    """What comes of it, in lines."""
    tags = [tag_of(f"project-{number}") for number in range(PROJECTS)]
    yield f"{SERVERS:,} servers, {PROJECTS:,} projects, a request takes {costs.request_s * 1e6:.0f} us"
    yield ""
    yield f"{'points':>6} {'most projects':>14} {'least':>6} {'p50 ms':>7} {'p99 ms':>7} {'p99.9 ms':>9}"
    for points in (16, 256, 1024):
        ring = Ring(points)
        ring.fill(SERVERS)
        places = [ring.server_of(tag) for tag in tags]
        held = Counter(places)
        took = sorted(_queue(places, costs))
        shares = [took[len(took) * part // 1000] * 1000 for part in (500, 990, 999)]
        yield (
            f"{points:6} {max(held.values()) / mean(held.values()):13.0%} "
            f"{min(held[server] for server in range(SERVERS)) / mean(held.values()):6.0%}"
            f" {shares[0]:7.2f} {shares[1]:7.2f} {shares[2]:9.2f}"
        )
    yield ""
    yield from _changes(ring, tags, places, costs)


def _queue(places: list[int], costs: Costs) -> Iterator[float]:
    """How long each request takes, in seconds: it waits until its server is free."""
    random = Random(7)
    rate = SERVERS * _LOAD / costs.request_s
    free_at = [0.0] * SERVERS
    events: list[tuple[float, int]] = []
    for project in range(PROJECTS):
        heapq.heappush(events, (random.expovariate(rate / PROJECTS), project))
    for _ in range(_REQUESTS):
        now, project = heapq.heappop(events)
        server = places[project]
        free_at[server] = max(now, free_at[server]) + costs.request_s
        yield free_at[server] - now
        heapq.heappush(events, (now + random.expovariate(rate / PROJECTS), project))


def _changes(ring: Ring, tags: list[str], before: list[int], costs: Costs) -> Iterator[str]:
    held = Counter(before)
    ring.add(SERVERS)
    grown = [ring.server_of(tag) for tag in tags]
    moved = sum(a != b for a, b in zip(before, grown, strict=True))
    strays = sum(a != b != SERVERS for a, b in zip(before, grown, strict=True))
    yield f"a server comes: {moved:,} projects ({moved / PROJECTS:.2%}) are its own, {strays} went elsewhere"
    ring.remove(SERVERS)
    goes = held.most_common(1)[0][0]
    ring.remove(goes)
    left = [ring.server_of(tag) for tag in tags]
    moved = sum(a != b for a, b in zip(before, left, strict=True))
    takers = {b for a, b in zip(before, left, strict=True) if a != b}
    handing_s = _CHECKED_S + moved * costs.move_s
    yield (
        f"the fullest ends: {moved:,} projects go to {len(takers):,} servers, within {handing_s:.1f} s;"
        f" lost without handing over: {moved:,}"
    )
