"""Keys name their projects, and no project can tell whether another one exists."""

import hashlib
from random import Random

import pytest
from httpx import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.kernel.clock import Reading
from mockserver.kernel.entropy import Entropy
from mockserver.server.assembly import assemble
from mockserver.state.history.history import Histories
from mockserver.state.project import Project
from mockserver.state.settings import Settings
from mockserver.state.world import EPOCH_MS, ProjectDefaults, UnknownKey, World
from tests.tables import cases
from tests.transport import InProcessTransport


def reason(world: World, key: str) -> str:
    """Why a key is refused."""
    with pytest.raises(UnknownKey) as caught:
        world.key(key)
    return caught.value.reason


def test_a_test_key_and_its_pair_open_the_same_project() -> None:
    world = World()
    secret, publishable = world.key("sk_test_shop"), world.key("pk_test_shop")
    assert secret.project is publishable.project
    assert (secret.kind, publishable.kind) == ("sk", "pk")
    assert world.key("sk_test_shop") is secret
    assert world.get(secret.project.id) is secret.project
    assert [project.name for project in world] == ["shop"]


@cases("key", "sk_live_shop", "pk_live_shop")
def test_an_undeclared_live_key_opens_nothing(key: str) -> None:
    world = World()
    world.key("sk_test_shop")
    assert reason(world, key) == "undeclared_live"
    assert len(world) == 1


@cases(
    "key",
    "",
    "sk",
    "sk_test_",
    "sk_prod_x",
    "SK_TEST_x",
    "sk_test_a b",
    "sk_test_ä",
    "sk_test_x\n",
    "sk_test_" + "x" * 129,
)
def test_a_malformed_key_is_told_apart_from_an_unknown_one(key: str) -> None:
    world = World()
    assert reason(world, key) == "malformed"
    assert len(world) == 0


def test_a_strict_world_opens_declared_keys_only() -> None:
    world = World(strict_keys=True)
    project = world.create(name="shop")
    assert world.key("pk_test_shop").project is project
    assert reason(world, "sk_test_other") == "undeclared"
    assert len(world) == 1


def test_the_modes_of_a_name_are_two_projects() -> None:
    world = World()
    test, live = world.create(name="shop"), world.create(name="shop", livemode=True)
    assert (test.mode, live.mode) == ("test", "live")
    assert test.id != live.id
    assert test.new_id("acc") != live.new_id("acc")
    assert world.key("sk_live_shop").project is live
    assert world.key("sk_test_shop").project is test


def test_a_name_is_taken_once_in_each_mode() -> None:
    world = World()
    world.create(name="shop")
    with pytest.raises(ValueError, match="sk_test_shop"):
        world.create(name="shop")
    assert len(world) == 1


@cases("livemode", False, True)
@cases("kind", "sk", "pk")
def test_a_drawn_name_is_no_undeclared_keys(kind: str, livemode: bool) -> None:
    drawn = World().create().name
    world = World()
    opened = world.key(f"{kind}_test_{drawn}").project
    assert world.create(livemode=livemode).name != opened.name == drawn
    assert len(world) == 2


def test_a_restarted_world_of_real_time_draws_other_names() -> None:
    ticking = ProjectDefaults(now_ms=None, mode="ticking")
    first = World(real_ms=lambda: EPOCH_MS, defaults=ticking).create()
    assert World(real_ms=lambda: EPOCH_MS + 1, defaults=ticking).create().name != first.name


def test_a_key_belongs_to_one_project() -> None:
    world = World()
    shop, other = world.create(name="shop"), world.create(name="other")
    world.declare(shop, "sk_test_more", "sk", frozenset({"users:read"}))
    assert world.key("sk_test_more").scopes == {"users:read"}
    with pytest.raises(ValueError, match="sk_test_more"):
        world.declare(other, "sk_test_more", "sk")
    assert set(world.keys_of(shop)) == {"sk_test_shop", "pk_test_shop", "sk_test_more"}


def test_the_pair_of_a_declared_key_is_of_its_project() -> None:
    world = World()
    shop = world.create(name="shop")
    world.declare(shop, "sk_test_more", "sk")
    found = world.key("pk_test_more")
    assert (found.project, found.kind) == (shop, "pk")
    assert len(world) == 1


def test_the_pair_of_a_declared_live_key_stays_undeclared() -> None:
    world = World()
    world.declare(world.create(name="shop", livemode=True), "sk_live_more", "sk")
    assert reason(world, "pk_live_more") == "undeclared_live"


def test_a_deleted_project_takes_its_keys_along_and_begins_anew() -> None:
    world = World()
    first = world.key("sk_test_shop").project
    world.declare(first, "sk_test_more", "sk")
    first_id = first.new_id("acc")
    world.delete(first)
    assert (world.get(first.id), len(world), world.is_taken("sk_test_more")) == (None, 0, False)
    again = world.key("sk_test_shop").project
    assert again is not first
    assert (again.id, again.new_id("acc")) == (first.id, first_id)


def test_a_projects_answers_do_not_depend_on_its_opening() -> None:
    early, late = World(), World()
    for number in range(5):
        late.key(f"sk_test_{number}")
    one, other = early.key("sk_test_shop").project, late.key("sk_test_shop").project
    assert (one.id, one.new_id("acc")) == (other.id, other.new_id("acc"))


def test_the_seeds_of_world_and_project_decide_chance() -> None:
    names = [World("a"), World("b"), World("a")]
    ids = [world.key("sk_test_shop").project.new_id("acc") for world in names]
    assert ids[0] == ids[2] != ids[1]
    seeded = [World(seed).create(name="shop", seed="mine").new_id("acc") for seed in ("a", "b")]
    assert seeded[0] == seeded[1]


def test_projects_without_a_name_get_names_that_repeat() -> None:
    one, other = World(), World()
    names = [[world.create().name for _ in range(3)] for world in (one, other)]
    assert names[0] == names[1]
    assert len(set(names[0])) == 3
    assert one.key(f"sk_test_{names[0][0]}").project.name == names[0][0]


def test_a_project_begins_as_it_is_told() -> None:
    world = World(
        real_ms=lambda: 123_456, defaults=ProjectDefaults(settings=Settings(one_time_code="000000"))
    )
    usual = world.create(name="usual")
    assert usual.clock.read() == Reading(EPOCH_MS, "frozen", 1.0)
    assert usual.settings.one_time_code == "000000"
    ticking = world.create(name="ticking", defaults=ProjectDefaults(None, "ticking", 2.0))
    assert ticking.clock.read() == Reading(123_456, "ticking", 2.0)
    assert ticking.clock.target_ms(123_466) == 123_476


# --- side by side ------------------------------------------------------------------------------------

SENDS: tuple[tuple[str, str, dict[str, object]], ...] = (
    (
        "POST",
        "/iam/v2/auth/sign-up/email",
        {"name": "A", "email": "a@example.com", "password": "long enough"},
    ),
    ("POST", "/iam/v2/auth/sign-in/email", {"email": "a@example.com", "password": "long enough"}),
    ("POST", "/iam/v2/auth/sign-in/email", {"email": "a@example.com", "password": "wrong"}),
    ("POST", "/v1/contracts", {"name": "C", "chainId": 80002, "address": "0x" + "11" * 20}),
    ("POST", "/v1/contracts", {"name": "C", "chainId": "no number"}),
    ("GET", "/v1/contracts", {}),
    ("GET", "/v2/users", {}),
    ("POST", "/_mock/projects/-/clock/advance", {"seconds": 90}),
    ("POST", "/_mock/projects/-/reset", {}),
)

PLANS = st.lists(st.integers(0, len(SENDS) - 1), max_size=8)


def send(client: Client, name: str, number: int) -> tuple[int, bytes]:
    """One of the requests, with the key of a project; what came back."""
    method, path, body = SENDS[number]
    headers = {"authorization": f"Bearer sk_test_{name}", "x-idempotency-key": f"{number}"}
    response = client.request(method, path, json=body if method == "POST" else None, headers=headers)
    return response.status_code, response.content


def client_of(world: World) -> Client:
    """A client of a world of its own."""
    return Client(transport=InProcessTransport(assemble(world)), base_url="http://mock")


@given(PLANS, PLANS, st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_projects_side_by_side_answer_as_alone(first: list[int], second: list[int], order: Random) -> None:
    plans = {"one": first, "two": second}
    alone = {}
    for name, plan in plans.items():
        with client_of(World()) as client:
            alone[name] = [send(client, name, number) for number in plan]
    turns = [name for name, plan in plans.items() for _ in plan]
    order.shuffle(turns)
    together: dict[str, list[tuple[int, bytes]]] = {"one": [], "two": []}
    with client_of(World()) as client:
        for name in turns:
            together[name].append(send(client, name, plans[name][len(together[name])]))
    assert together == alone


def test_the_requests_of_the_interleaved_plans_do_something() -> None:
    with client_of(World()) as client:
        statuses = [send(client, "one", number)[0] for number in range(len(SENDS))]
    assert statuses == [200, 200, 401, 200, 400, 200, 200, 200, 200]


def test_a_reset_keeps_keys_and_restarts_entropy() -> None:
    world = World()
    project = world.create(name="shop", defaults=ProjectDefaults(EPOCH_MS + 5))
    first_id = project.new_id("acc")
    project.clock.move_to(EPOCH_MS + 99)
    project.scenario_state = "elsewhere"
    project.reset()
    assert world.key("sk_test_shop").project is project
    assert (project.clock.now_ms, project.scenario_state) == (EPOCH_MS + 5, "start")
    assert project.new_id("acc") == first_id


def test_no_project_shares_a_table_with_another() -> None:
    world = World()
    one, two = world.create(name="one"), world.create(name="two")
    assert isinstance(one, Project)
    assert not {id(table) for table in one.tables} & {id(table) for table in two.tables}


@cases("livemode", False, True)
def test_id_and_tokens_show_a_tag_that_any_program_computes(livemode: bool) -> None:
    world = World()
    project = world.create(name="shop", livemode=livemode)
    tag = hashlib.sha1(b"shop").hexdigest()[:6]
    assert project.id.startswith(f"pro_{tag}")
    assert project.new_token("session_token", 32).startswith(tag)
    assert list(world.may_have_issued(tag)) == [project]


def test_tokens_of_an_earlier_version_begin_as_they_did() -> None:
    project = Project(
        project_id="pro_7a1a6f5e-6dfb-4f4a-9a0d-e5a49a5f8a4f",
        name="shop",
        livemode=False,
        seed="s",
        clock=Reading(EPOCH_MS, "frozen", 1.0),
        settings=Settings(),
        histories=Histories(1),
    )
    assert project.token_tag == Entropy(project.id).text("token_tag", 6)


def test_projects_of_another_world_take_the_place_of_their_own() -> None:
    here, there = World(), World()
    kept, replaced = here.create(name="kept"), here.create(name="shop")
    moved, put_away = there.create(name="shop"), there.create(name="idle")
    put_away.is_declared = False
    put_away.put_away()
    there.declare(moved, "sk_test_other", "sk", frozenset({"policies:read"}))
    here.take_in(there)
    assert list(here) == [kept, moved, put_away]
    assert replaced.is_deleted
    assert here.key("sk_test_other").project is moved
    assert here.key("sk_test_other").scopes == {"policies:read"}
    here.delete(moved)
    assert not here.is_taken("sk_test_other")


def test_a_key_of_a_project_that_stays_keeps_others_out() -> None:
    here, there = World(), World()
    kept, shop = here.create(name="kept"), here.create(name="shop")
    here.declare(kept, "sk_test_other", "sk")
    there.declare(there.create(name="shop"), "sk_test_other", "sk")
    with pytest.raises(ValueError, match="sk_test_other"):
        here.take_in(there)
    assert list(here) == [kept, shop]
    assert not shop.is_deleted


def test_a_token_tells_which_project_may_have_issued_it() -> None:
    world = World()
    mine, other = world.create(name="mine"), world.create(name="other")
    token = mine.new_token("session_token", 32)
    assert len(token) == 32
    assert token.isalnum()
    assert list(world.may_have_issued(token)) == [mine]
    assert list(world.may_have_issued(other.new_token("session_token", 32))) == [other]
    assert list(world.may_have_issued("x")) == []
    world.delete(mine)
    assert list(world.may_have_issued(token)) == []
