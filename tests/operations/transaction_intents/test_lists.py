"""Intents in lists, and as the transactions that they are."""

from typing import Any

from httpx import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.domain.identity.users import create_user
from mockserver.domain.transactions.timers import TIMER_LOOP
from mockserver.domain.wallets.wallets import wallet_of_user
from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import AccountKind, account_of
from tests.fates import add_fate
from tests.operations.transaction_intents.helpers import create, steps, submit
from tests.signing import owner_of, sign_hash
from tests.transport import InProcessTransport


def test_the_list_tells_success_from_failure(api: Client, project: Project) -> None:
    account = account_of(project)
    good = create(api, account=account.id)
    add_fate(project, "reverted", options={"reason": "no"})
    bad = create(api, account=account.id)
    assert (bad["response"]["status"], bad["response"]["error"]["reason"]) == (0, "no")
    assert steps(bad)[-1] == ("indexed", "reverted")
    for status, row in ((1, good), (0, bad)):
        listed = api.get("/v1/transaction_intents", params={"status": status}).json()
        assert [each["id"] for each in listed["data"]] == [row["id"]]


def test_the_filter_player_takes_users_as_well(api: Client, project: Project) -> None:
    user = create_user(project, name="", email=None)
    account = account_of(project, wallet=wallet_of_user(project, user))
    create(api, account=account.id)
    create(api, account=account_of(project).id)
    for players in ([user.id], [account.wallet_id], [user.id, account.wallet_id, "pla_none", "usr_none"]):
        assert api.get("/v1/transaction_intents", params={"player": players}).json()["total"] == 1


def test_an_intent_that_expires_says_so_last(api: Client, project: Project) -> None:
    add_fate(project, "expired")
    intent = create(api, account=account_of(project).id)
    assert steps(intent)[-1] == ("sent", "expired")
    assert intent["response"]["error"]["reason"].startswith("the transaction expired")


FATES = st.sampled_from(["successful", "reverted", "failed", "dropped", "expired", "replaced", "never_mined"])
MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("create"), FATES),
        st.tuples(st.just("advance"), st.integers(0, 3_000)),
        st.tuples(st.just("sign"), st.just("")),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=25)
@given(kind=st.sampled_from(["plain", "UpgradeableV6", "CaliburV9"]), moves=MOVES, owned=st.booleans())
def test_rows_never_contradict(kind: AccountKind, moves: list[tuple[str, Any]], owned: bool) -> None:
    world = World()
    project = world.create(name="pairs")
    account = account_of(project, kind, held_by="User" if owned else "Developer")
    headers = {"authorization": f"Bearer {project.secret_key}"}
    transport = InProcessTransport(assemble(world))
    with Client(transport=transport, base_url="http://mock", headers=headers, verify=False) as api:
        for move, argument in moves:
            if move == "create":
                add_fate(project, argument)
                create(api, account=account.id, optimistic=True)
            elif move == "advance":
                TIMER_LOOP.advance(project, project.clock.now_ms + argument)
            for row in project.onchain.transactions.find("status", "awaiting_signature")[: move == "sign"]:
                assert row.execution is not None
                digest = "0x" + row.execution.signing_hash.hex()
                submit(api, {"id": row.id}, sign_hash(owner_of(project, account), digest), optimistic=True)
            project.undo.mark()
            compare(api)


def compare(api: Client) -> None:
    intents = api.get("/v1/transaction_intents").json()["data"]
    query = {"expand": ["logs", "userOperation", "timeline"]}
    rows = api.get("/v2/transactions", params=query).json()["data"]
    assert [intent["id"] for intent in intents] == [row["id"] for row in rows]
    for intent, row in zip(intents, rows, strict=True):
        status = row["status"]
        assert (
            ("response" in intent) == (status in ("successful", "reverted", "failed")) == ("receipt" in row)
        )
        assert ("nextAction" in intent) == (status == "awaiting_signature")
        if "receipt" in row:
            assert intent["response"] == {**row["receipt"], "status": int(status == "successful")}
        if "nextAction" in row:
            assert intent["nextAction"]["payload"]["signableHash"] == row["nextAction"]["hash"]
        assert intent.get("finalCost") == row.get("costUsd")
        assert intent["interactions"] == row["calls"]
        assert intent.get("userOperation") == row.get("execution", {}).get("userOperation")
        ends = {"successful": "confirmed", "reverted": "reverted"}
        reached = [target for _, target in steps(intent)]
        sources = [source for source, _ in steps(intent)]
        assert sources == (["none", *reached[:-1]] if reached else [])
        if status in ends:
            assert reached[-1] == ends[status]
        assert ("sent" in reached) == any(at["event"] == "sent" for at in row["timeline"])


def test_a_lists_new_user_is_hidden_from_others(api: Client, project: Project, world: World) -> None:
    create_user(project, name="", email=None)
    project.undo.mark()
    intent = create(api)
    other = world.create(name="other")
    headers = {"authorization": f"Bearer {other.secret_key}"}
    assert api.get(f"/v1/transaction_intents/{intent['id']}", headers=headers).status_code == 404
