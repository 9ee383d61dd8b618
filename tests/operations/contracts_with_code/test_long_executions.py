"""What takes long is executed in slices, and what comes of it is what comes of it at once."""

import json
from collections.abc import Callable, Generator, Sequence
from itertools import count
from typing import Any, TypeVar

import pytest
from httpx import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from mockserver.api.call import Request
from mockserver.chain.addresses import address_bytes
from mockserver.chain.evm import interpreter
from mockserver.domain.chains.tokens import standards
from mockserver.domain.transactions import mining
from mockserver.kernel.effort import Ahead
from mockserver.server.answering.pipeline import WaitingCall
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.accounts import AccountKind
from tests.operations.contracts_with_code.chain import AMOY, CONTROL, Chain
from tests.operations.responses import ok
from tests.replay.runs import play
from tests.transport import InProcessTransport

AT = "0x" + "77" * 20
OTHER = "0x" + "66" * 20
T = TypeVar("T")
USDC = "41e94eb019c0762f9bfcf9fb1e58725bfb0e7582"
ENTRY_POINT = "0000000071727de22e5e9d8baf0edac6f37da032"
FRIEND = "44" * 20


def call_native(address: str, selector: str, first: str, second: str, value: int = 0) -> str:
    """Code that calls a contract with two arguments, which are code that leaves them on the stack."""
    data = f"63{selector}60e01b5f52{first}600452{second}602452"
    return f"{data}60205f60445f60{value:02x}73{address}5af150"


APPROVES = call_native(USDC, "095ea7b3", "73" + FRIEND, "5f5460070160ff16")
"""Approves seven more than what is in its first slot."""
STEPS = {
    "counts": "5f546001015f55",
    "asks for the time": "42600155" + "43600255",
    "asks for the gas": "5a600355",
    "asks for the balance of its caller": "3331600455",
    "asks for the balance of who is paid": "4131600555",
    "emits": "5f545f5260205fa0",
    "transfers": call_native(USDC, "a9059cbb", "73" + FRIEND, "6007"),
    "approves": APPROVES,
    "asks for its allowance": call_native(USDC, "dd62ed3e", "30", "73" + FRIEND) + "5f51600755",
    "deposits": call_native(ENTRY_POINT, "b760faf9", "30", "5f", 1),
    "withdraws": call_native(ENTRY_POINT, "205c2878", "73" + FRIEND, "6001"),
    "calls another": "5f5f5f5f5f73" + OTHER[2:] + "5af1600655",
    "sends a coin": "5f5f5f5f600173" + FRIEND + "5af150",
    "returns": "60205ff3",
    "reverts": "60045ffd",
    "halts": "fe",
}
"""What code does, each a piece of it that leaves the stack as it was."""


def endless_after(code: str) -> str:
    """Code that goes on for ever: JUMPDEST PUSH2 JUMP."""
    return f"{code}5b61{len(code) // 2:04x}56"


def endless_again(code: str) -> str:
    """Code that does something again and again for ever."""
    return f"5b{code}5f56"


ENDLESS = {
    "at once": endless_after(""),
    "in a block": endless_after("42435050"),
    "with a token": endless_after(STEPS["approves"] + STEPS["asks for its allowance"]),
    "with deposits": endless_after(STEPS["deposits"] + STEPS["withdraws"]),
    "with approvals": endless_again(STEPS["approves"]),
}


def put_code(api: Client, code: str, address: str = AT, **more: str) -> None:
    ok(api.put(f"{CONTROL}/addresses/{address}", json={"code": f"0x{code}", **more}))


def request_for(chain: Chain, project: Project, *before: str) -> Request:
    calls = [{"to": to, "data": "0x12345678"} for to in (*before, AT)]
    body = {"chainId": AMOY, "accountId": chain.account.id, "calls": calls}
    own = {"authorization": f"Bearer {project.secret_key}", "content-type": "application/json"}
    raw = [(name.encode(), value.encode()) for name, value in own.items()]
    return Request("POST", "/v2/transactions", "", own, json.dumps(body).encode(), raw_headers=raw)


def rpc_request(project: Project, method: str, *params: Any) -> Request:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    path, own = f"/_mock/projects/{project.id}/chains/{AMOY}/rpc", {"content-type": "application/json"}
    return Request("POST", path, "", own, body.encode())


@pytest.fixture
def entered(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The calls that the machine has begun."""
    found: list[Any] = []
    enter = interpreter._enter

    def note(*given: Any) -> Any:
        found.append(given)
        return enter(*given)

    monkeypatch.setattr(interpreter, "_enter", note)
    return found


@pytest.fixture(params=[*ENDLESS, "after others"])
def endless(api: Client, project: Project, request: pytest.FixtureRequest) -> Request:
    """A request for a transaction that burns all gas."""
    after_others = request.param == "after others"
    chain = Chain.of(api, project, "Simple" if after_others else "plain")
    put_code(api, ENDLESS["with a token" if after_others else request.param], balance_wei="5")
    put_code(api, STEPS["counts"] + STEPS["approves"] + STEPS["emits"], OTHER)
    ok(api.put("/_mock/projects/-/settings", json={"contract_gas_limit": 600_000}))
    return request_for(chain, project, *([OTHER, OTHER] if after_others else []))


def test_others_are_answered_while_a_transaction_is_executed(
    endless: Request, app: App, api: Client, project: Project, entered: list[Any]
) -> None:
    outcome, slices = app.pipeline.answer(endless), 0
    while isinstance(outcome, WaitingCall):
        entered.clear()
        assert not len(project.onchain.transactions), "nothing is changed before"
        assert ok(api.get("/v2/transactions"))["data"] == []
        outcome, slices = app.pipeline.resume(outcome), slices + 1
    assert slices > 5
    again = [call for _, _, call, _ in entered if call.address == address_bytes(AT)]
    assert again == [], "it is mined without being executed again"
    assert len(project.ahead.kept) == 2, "what measured its gas, and what was mined"
    made = json.loads(outcome.body)
    assert (made["status"], made["receipt"]["error"]["reason"]) == ("reverted", "out of gas")
    assert len(project.onchain.transactions) == 1


def test_calls_of_contracts_without_code_are_made_once(
    app: App, api: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, make_call = list[Project](), standards.make_call

    def note(project: Project, *given: Any) -> Any:
        made.append(project)
        return make_call(project, *given)

    monkeypatch.setattr(standards, "make_call", note)
    chain = Chain.of(api, project)
    put_code(api, STEPS["approves"] * 99)
    outcome = app.pipeline.answer(request_for(chain, project))
    while isinstance(outcome, WaitingCall):
        made.clear()
        outcome = app.pipeline.resume(outcome)
    assert project not in made, "what they change is known by then"
    assert json.loads(outcome.body)["status"] == "successful"
    assert [row.amount for row in project.chains.token_approvals] == [7]


@pytest.fixture
def small_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "_STEPS_IN_A_SLICE", 20)
    monkeypatch.setattr(mining, "_LONG_GAS", 1)


@pytest.mark.usefixtures("small_slices")
@pytest.mark.parametrize(
    ("kind", "code", "others"),
    [
        ("Simple", STEPS["counts"] * 20, [AT] * 11),
        # It calls a precompiled contract that is not there.
        ("plain", STEPS["counts"] * 20 + "5f5f5f5f600b5afa", []),
    ],
    ids=["twelve calls", "one that is unsupported"],
)
def test_each_long_call_is_executed_ahead(
    kind: AccountKind,
    code: str,
    others: list[str],
    api: Client,
    app: App,
    project: Project,
    entered: list[Any],
) -> None:
    chain = Chain.of(api, project, kind)
    put_code(api, code)
    outcome, changed = app.pipeline.answer(request_for(chain, project, *others)), False
    while isinstance(outcome, WaitingCall):
        entered.clear()
        if not changed:
            # What another call changes meanwhile is noticed, and it is executed ahead once more.
            put_code(api, code, balance_wei="9")
            ok(api.put(f"{CONTROL}/addresses/{AT}", json={"storage": {"0x0": "0x7"}}))
            changed = True
        outcome = app.pipeline.resume(outcome)
    assert [call for _, _, call, _ in entered if call.address == address_bytes(AT)] == []
    expected = "successful" if others else "reverted"
    assert json.loads(outcome.body)["status"] == expected
    assert chain.address(AT)["storage"]["0x0"] == hex(7 + 20 * 12 if others else 7)


@pytest.mark.parametrize("method", ["eth_call", "eth_estimateGas", "eth_createAccessList"])
def test_others_are_answered_while_a_call_is_tried_out(
    method: str, app: App, api: Client, project: Project
) -> None:
    ok(api.put("/_mock/projects/-/settings", json={"contract_gas_limit": 400_000}))
    put_code(api, ENDLESS["with a token"])
    before = list(map(list, project.tables))
    outcome, slices = app.pipeline.answer(rpc_request(project, method, {"to": AT})), 0
    while isinstance(outcome, WaitingCall):
        assert list(map(list, project.tables)) == before
        # What others change meanwhile does not matter.
        put_code(api, "", OTHER, balance_wei=str(slices))
        before = list(map(list, project.tables))
        outcome, slices = app.pipeline.resume(outcome), slices + 1
    assert slices > 2
    assert b"out of gas" in outcome.body or b"gas required exceeds" in outcome.body


def test_others_are_answered_while_instructions_are_logged(app: App, api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    put_code(api, ENDLESS["at once"])
    ok(api.put("/_mock/projects/-/settings", json={"contract_gas_limit": 100_000}))
    row = chain.send_calls({"to": AT, "data": "0x12345678"})
    asked = rpc_request(project, "debug_traceTransaction", row["receipt"]["transactionHash"], {"limit": 7})
    outcome, slices = app.pipeline.answer(asked), 0
    while isinstance(outcome, WaitingCall):
        outcome, slices = app.pipeline.resume(outcome), slices + 1
    assert slices > 5
    logs = json.loads(outcome.body)["result"]["structLogs"]
    assert [each["op"] for each in logs] == ["JUMPDEST", "PUSH2", "JUMP"] * 2 + ["JUMPDEST"]


def test_a_ticking_clock_waits_for_what_is_executed(
    app: App, api: Client, project: Project, entered: list[Any]
) -> None:
    chain = Chain.of(api, project)
    put_code(api, ENDLESS["in a block"])
    ok(api.put("/_mock/projects/-/settings", json={"contract_gas_limit": 400_000}))
    # Each call comes two blocks later.
    moments = count(app.pipeline.world.real_ms(), 4_000)
    app.pipeline.world.read_real_ms = lambda: next(moments)
    ok(api.put("/_mock/projects/-/clock", json={"mode": "ticking"}))
    outcome, seen = app.pipeline.answer(request_for(chain, project)), []
    while isinstance(outcome, WaitingCall) and project.ahead.begun:
        seen.append(project.clock.now_ms)
        outcome = app.pipeline.resume(outcome)
        mined = [call for _, _, call, _ in entered if call.address == address_bytes(AT)]
        entered.clear()
    assert len(seen) > 5
    assert len(set(seen)) == 1
    assert mined == [], "it is of the expected block"
    assert project.clock.now_ms == seen[0]
    ok(api.get("/v2/transactions"))
    assert project.clock.now_ms > seen[0]


@pytest.mark.usefixtures("small_slices")
def test_what_changes_for_a_while_is_noticed(api: Client, app: App, project: Project) -> None:
    chain = Chain.of(api, project)
    # It adds up a slot that it reads again and again: six slices, and six more when it is mined.
    put_code(api, "5f5460015401600155" * 20)
    for changing in range(7, 11):
        outcome, slices = app.pipeline.answer(request_for(chain, project)), 0
        while isinstance(outcome, WaitingCall):
            is_changed = slices == changing
            ok(api.put(f"{CONTROL}/addresses/{AT}", json={"storage": {"0x0": hex(7 * is_changed)}}))
            outcome, slices = app.pipeline.resume(outcome), slices + 1
            ok(api.put(f"{CONTROL}/addresses/{AT}", json={"storage": {"0x0": "0x0"}}))
        assert slices > changing + 1
        assert json.loads(outcome.body)["status"] == "successful"
        assert chain.address(AT)["storage"] == {}
        project.ahead.kept.clear()


def test_the_next_nonce_waits_for_what_is_executed_ahead(app: App, api: Client, project: Project) -> None:
    put_code(api, ENDLESS["at once"])

    def ask(method: str, *params: Any) -> Any:
        return app.pipeline.answer(rpc_request(project, method, *params))

    sender = "0x" + "99" * 20
    ask("anvil_setBalance", sender, hex(10**18))
    ask("anvil_impersonateAccount", sender)
    call = {"from": sender, "to": AT, "gas": hex(300_000)}
    first, late, second = (
        ask("eth_sendTransaction", call | {"nonce": nonce}) for nonce in ("0x0", "0x7", "0x1")
    )
    assert isinstance(second, WaitingCall)
    assert not second.until.ready()
    ends = json.loads(app.pipeline.finish(ask("eth_sendTransaction", call | {"nonce": "0x9"})).body)
    assert ends["error"]["message"] == "nonce too high: tx 9 state 0"
    answers = [json.loads(app.pipeline.finish(sent).body) for sent in (first, second, late)]
    assert ["error" in answer for answer in answers] == [False, False, True]
    assert answers[-1]["error"]["message"] == "nonce too high: tx 7 state 2"


def test_what_was_executed_ahead_is_recorded_and_replayed(endless: Request, app: App) -> None:
    app.recordings.start()
    app.pipeline.finish(app.pipeline.answer(endless))
    app.recordings.stop()
    _, found = play(app.recordings.read())
    assert found == []


def at_once(ahead: Ahead, attempt: Callable[[], T]) -> Generator[None, None, T]:
    """What `Ahead.run` is for, as if nothing took long."""
    yield from ()
    return attempt()


def tell_story(kind: AccountKind, codes: Sequence[str], raw: bool) -> list[Any]:
    """What two transactions come to, of which the second finds what the first has left."""
    world = World()
    app, project = assemble(world), world.create(name="tests")
    headers = {"authorization": f"Bearer {project.secret_key}"}
    with Client(transport=InProcessTransport(app), base_url="http://mock", headers=headers) as api:
        chain, seen = Chain.of(api, project, kind), list[Any]()
        for address, code in zip((AT, OTHER), codes, strict=True):
            put_code(api, code, address, balance_wei="5")
        for number in range(2):
            if raw:
                own = {"from": "0x" + "99" * 20, "to": AT, "gas": hex(900_000), "nonce": hex(number)}
                path = f"/_mock/projects/{project.id}/chains/{AMOY}/rpc"
                for method, params in (
                    ("anvil_setBalance", [own["from"], hex(10**18)]),
                    ("anvil_impersonateAccount", [own["from"]]),
                    ("eth_sendTransaction", [own]),
                ):
                    sent = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
                    seen.append(ok(api.post(path, json=sent)))
                asked = {"method": "eth_getTransactionReceipt", "params": [seen[-1].get("result")]}
                seen.append(ok(api.post(path, json={"jsonrpc": "2.0", "id": 1, **asked})))
            else:
                more = [{"to": OTHER}, {"to": AT}] if kind == "Simple" else []
                seen.append(chain.send_calls({"to": AT, "value": "1"}, *more))
            seen.append(ok(api.get(f"{CONTROL}/addresses/{AT}")))
        return [*seen, *map(list, project.tables)]


@settings(max_examples=25)
@given(
    kind=st.sampled_from(["plain", "Simple"]),
    raw=st.booleans(),
    codes=st.lists(
        st.lists(st.sampled_from(sorted(STEPS)), min_size=1, max_size=8).map(
            lambda names: "".join(STEPS[name] for name in names)
        ),
        min_size=2,
        max_size=2,
    ),
)
def test_executing_ahead_changes_nothing(kind: AccountKind, raw: bool, codes: list[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Ahead, "run", at_once)
        expected = tell_story(kind, codes, raw)
    with pytest.MonkeyPatch.context() as patch:
        # Everything takes long.
        patch.setattr(interpreter, "_STEPS_IN_A_SLICE", 2)
        patch.setattr(mining, "_LONG_GAS", 1)
        assert tell_story(kind, codes, raw) == expected


def test_a_transaction_is_executed_once_when_it_is_mined(
    api: Client, project: Project, entered: list[Any]
) -> None:
    chain = Chain.of(api, project)
    put_code(api, STEPS["counts"])
    chain.send_calls({"to": AT})
    assert len(entered) == 2, "to measure its gas, and when it is mined"


def test_calls_cannot_spend_what_is_reserved_for_gas(api: Client, project: Project) -> None:
    chain = Chain.of(api, project)
    put_code(api, STEPS["asks for the balance of its caller"])
    before = int(chain.address(chain.account.address)["balance_wei"])
    row = chain.send_calls({"to": AT})
    after = int(chain.address(chain.account.address)["balance_wei"])
    seen = int(chain.address(AT)["storage"]["0x4"], 16)
    assert row["status"] == "successful"
    assert seen < after < before
