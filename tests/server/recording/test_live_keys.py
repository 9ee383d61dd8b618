"""Live keys that no project has are replaced wherever a request may have them."""

from base64 import b64encode
from typing import Any

import pytest

from mockserver.api.call import Request
from mockserver.server.recording.live_keys import without_undeclared_keys
from mockserver.state.world import World
from tests.tables import cases


@pytest.fixture
def world() -> World:
    world = World()
    world.create(name="mine", livemode=True)
    return world


def request_with(**members: Any) -> Request:
    given = {"path": "/v1/contracts", "query": "", "body": b"", "raw_headers": []} | members
    return Request(method="POST", headers={}, **given)


def basic(text: str, scheme: bytes = b"Basic ") -> bytes:
    return scheme + b64encode(text.encode())


@cases(
    "given, expected",
    ({"path": "/x/sk_live_yours/y"}, {"path": "/x/sk_live_undeclared/y"}),
    ({"query": "key=pk_live_yours&a=1"}, {"query": "key=pk_live_undeclared&a=1"}),
    ({"body": b'{"key": "sk_live_yours"}'}, {"body": b'{"key": "sk_live_undeclared"}'}),
    ({"body": b"\xff sk_live_yours"}, {"body": b"\xff sk_live_undeclared"}),
    (
        {"raw_headers": [(b"authorization", b"Bearer sk_live_yours"), (b"x-a", b"b")]},
        {"raw_headers": [(b"authorization", b"Bearer sk_live_undeclared"), (b"x-a", b"b")]},
    ),
    (
        {"raw_headers": [(b"x-project-key", b"pk_live_yours, pk_live_mine")]},
        {"raw_headers": [(b"x-project-key", b"pk_live_undeclared, pk_live_mine")]},
    ),
    (
        {"raw_headers": [(b"authorization", basic("sk_live_yours:"))]},
        {"raw_headers": [(b"authorization", basic("sk_live_undeclared:"))]},
    ),
    (
        {"raw_headers": [(b"authorization", basic("sk_live_yours:", b"basic  "))]},
        {"raw_headers": [(b"authorization", basic("sk_live_undeclared:", b"basic  "))]},
    ),
)
def test_a_live_key_that_no_project_has_is_replaced(
    world: World, given: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert without_undeclared_keys(world, request_with(**given)) == request_with(**given | expected)


@cases(
    "given",
    {"path": "/x/sk_live_mine", "query": "pk_live_mine", "body": b"sk_live_mine"},
    {"raw_headers": [(b"authorization", b"Bearer sk_live_mine")]},
    {"raw_headers": [(b"authorization", basic("sk_live_mine:"))]},
    {"raw_headers": [(b"x-other", basic("sk_live_yours:"))]},
    {"raw_headers": [(b"authorization", b"Basic %%%")]},
    {"raw_headers": [(b"authorization", b"Basic a")]},
    {"raw_headers": [(b"authorization", b"Digest x")]},
    {"path": "/x/sk_test_yours", "body": b"sk_test_yours"},
    {"path": "/x_live_y", "body": b"{}"},
)
def test_all_else_stays_as_it_is(world: World, given: dict[str, Any]) -> None:
    request = request_with(**given)
    assert without_undeclared_keys(world, request) == request


def test_what_has_no_live_key_is_not_copied(world: World) -> None:
    request = request_with(raw_headers=[(b"authorization", b"Bearer sk_test_a")], body=b"{}")
    assert without_undeclared_keys(world, request) is request
