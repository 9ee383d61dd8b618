"""WebSockets of nodes: messages are requests, and what is subscribed to is told."""

import asyncio
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest

from mockserver.api.call import Request
from mockserver.nodes.evm import subscribing
from mockserver.nodes.evm.chain import Chain
from mockserver.nodes.sockets import Audiences, Socket, _Audience, _Feed
from mockserver.nodes.subscriptions import WATCHERS, News, subscribe
from mockserver.server.answering.render import Response
from mockserver.state.chains import LogFilter, Subscription
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project
from mockserver.testing.project import MockProject
from mockserver.testing.server import LiveServer
from tests.live import connect, listening, project_of
from tests.nodes.node import ALICE, BOB, CHAIN, Node, calldata
from tests.nodes.web_socket import Closed, WebSocket, connected
from tests.replay.runs import play
from tests.tables import cases

TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
COMPRESSED = (
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Extensions: permessage-deflate\r\n"
)
"""The handshake of a client that compresses messages where the server does, as most offer."""
HERE = f"/chains/{CHAIN}/rpc"


@dataclass
class Stage:
    """A project of a server, its node by HTTP, and connections by WebSocket."""

    server: LiveServer
    mock: MockProject
    node: Node
    stack: ExitStack

    def connect(self, path: str = HERE) -> WebSocket:
        """A new connection to a path of the project."""
        return self.stack.enter_context(connected(self.mock, f"/_mock/projects/{self.mock.id}{path}"))


@pytest.fixture(params=["httptools", "h11"])
def stage(request: pytest.FixtureRequest) -> Iterator[Stage]:
    with listening(request.param) as server, ExitStack() as stack:
        mock = server.control.create_project(name="chains")
        node = Node(stack.enter_context(mock.connect()), project_of(server, mock))
        yield Stage(server, mock, node, stack)


def test_messages_are_not_compressed(stage: Stage) -> None:
    with connect(stage.mock) as connection:
        offer = f"GET /_mock/projects/{stage.mock.id}{HERE} HTTP/1.1\r\nHost: localhost\r\n{COMPRESSED}\r\n"
        connection.sendall(offer.encode())
        answer = connection.recv(65536).lower()
    assert answer.startswith(b"http/1.1 101")
    assert b"sec-websocket-extensions" not in answer


def test_a_message_is_a_request(stage: Stage) -> None:
    socket = stage.connect()
    assert socket.ask("eth_blockNumber") == stage.node.ask("eth_blockNumber")
    assert socket.ask("eth_nope")["code"] == -32601
    socket.send([{"id": 1, "method": "eth_chainId"}, {"id": 2, "method": "net_version"}])
    assert [each["result"] for each in socket.receive()] == [hex(CHAIN), str(CHAIN)]
    socket.send("nonsense")
    assert socket.receive()["error"]["code"] == -32600
    journal = stage.mock.call("GET", "/journal")["data"]
    assert "eth_blockNumber" in [entry["operation"] for entry in journal]


def test_new_blocks_are_told_with_their_numbers(stage: Stage) -> None:
    socket = stage.connect()
    named = socket.ask("eth_subscribe", "newHeads")
    stage.node.ask("anvil_mine", "0x3")
    told = [socket.tell() for _ in range(3)]
    assert {each["subscription"] for each in told} == {named}
    numbers = [int(each["result"]["number"], 16) for each in told]
    assert numbers == [numbers[0], numbers[0] + 1, numbers[0] + 2]
    assert told[2]["result"]["hash"] == stage.node.ask("eth_getBlockByNumber", "latest")["hash"]
    assert "transactions" not in told[0]["result"]


def test_after_a_reorganization_blocks_are_told_anew(stage: Stage) -> None:
    socket = stage.connect()
    socket.ask("eth_subscribe", "newHeads")
    stage.node.ask("anvil_mine", "0x2")
    before = [socket.tell()["result"] for _ in range(2)]
    stage.node.ask("anvil_reorg", 2, [])
    after = [socket.tell()["result"] for _ in range(2)]
    assert [each["number"] for each in before] == [each["number"] for each in after]
    assert not {each["hash"] for each in before} & {each["hash"] for each in after}
    assert after[1]["parentHash"] == after[0]["hash"]


def test_logs_are_told_and_taken_back(stage: Stage) -> None:
    token = stage.node.deploy_token()
    socket = stage.connect()
    socket.ask("eth_subscribe", "logs", {"address": token, "topics": [TRANSFER]})
    other = socket.ask("eth_subscribe", "logs", {"address": BOB.address})
    receipt = stage.node.transact(to=token, data=calldata("transfer", BOB.address, 5))
    told = socket.tell()
    assert told["result"] == receipt["logs"][0]
    assert told["subscription"] != other
    stage.node.ask("anvil_reorg", 1, [])
    assert socket.tell()["result"] == {**receipt["logs"][0], "removed": True}


def test_each_log_is_told_once_while_old_ones_go(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subscribing, "_MOST_TRANSACTIONS", 1)
    token, socket = stage.node.deploy_token(), stage.connect()
    socket.ask("eth_subscribe", "logs", {"address": token})
    for amount in (5, 6, 7):
        receipt = stage.node.transact(to=token, data=calldata("transfer", BOB.address, amount))
        assert socket.tell()["result"] == receipt["logs"][0]


def test_a_transaction_is_looked_into_for_logs_once(node: Node, monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[str] = []

    def look(_: Chain, criteria: LogFilter, row: Transaction) -> list[dict[str, Any]]:
        looked_at.append(row.id)
        return []

    monkeypatch.setattr(subscribing, "matching_logs", look)
    news = subscribing.watch_logs(
        node.project, Subscription("", str(CHAIN), "logs", "", LogFilter("", CHAIN, "logs"))
    )
    assert next(news) == []
    node.deploy_token()
    assert [next(news), next(news), len(looked_at)] == [[], [], 1]


def test_transactions_are_told_when_they_are_sent(stage: Stage) -> None:
    stage.node.fund(ALICE.address)
    socket = stage.connect()
    hashes = socket.ask("eth_subscribe", "newPendingTransactions")
    whole = socket.ask("eth_subscribe", "newPendingTransactions", True)
    receipt = stage.node.transact(to=BOB.address, value=1)
    told = {each["subscription"]: each["result"] for each in (socket.tell(), socket.tell())}
    assert told[hashes] == receipt["transactionHash"] == told[whole]["hash"]


def test_after_the_end_of_a_subscription_nothing_is_told(stage: Stage) -> None:
    socket = stage.connect()
    first, second = socket.ask("eth_subscribe", "newHeads"), socket.ask("eth_subscribe", "newHeads")
    assert socket.ask("eth_unsubscribe", first) is True
    assert socket.ask("eth_unsubscribe", first) is False
    stage.node.ask("evm_mine")
    assert socket.tell()["subscription"] == second
    assert socket.ask("eth_chainId") == hex(CHAIN)
    assert socket.told == []


def test_a_subscription_outlives_a_snapshot_that_is_restored(stage: Stage) -> None:
    snapshot = stage.node.ask("evm_snapshot")
    socket = stage.connect()
    first = socket.ask("eth_subscribe", "newHeads")
    assert stage.node.ask("evm_revert", snapshot) is True
    second = socket.ask("eth_subscribe", "newHeads")
    assert first != second
    stage.node.ask("evm_mine")
    assert {socket.tell()["subscription"], socket.tell()["subscription"]} == {first, second}


def test_of_very_many_subscriptions_the_oldest_ends(project: Project) -> None:
    wanted, kept = Subscription("", str(CHAIN), "newHeads"), project.chains.subscriptions
    numbers = [subscribe(project, wanted, 16) for _ in range(10_000)]
    assert [row.id for row in kept] == [str(number) for number in numbers]
    last = subscribe(project, wanted, 16)
    assert [row.id for row in kept] == [str(number) for number in [*numbers[1:], last]]


def test_a_ticking_clock_tells_of_its_blocks(stage: Stage) -> None:
    stage.mock.clock.tick(rate=100)
    socket = stage.connect()
    socket.ask("eth_subscribe", "newHeads")
    first, second = (int(socket.tell()["result"]["number"], 16) for _ in range(2))
    assert second == first + 1


def test_a_client_that_has_left_is_forgotten(stage: Stage) -> None:
    project = stage.node.project
    with connected(stage.mock, f"/_mock/projects/{stage.mock.id}{HERE}") as socket:
        socket.ask("eth_subscribe", "newHeads")
        assert project.listeners == 1
    until = time.monotonic() + 10
    while project.listeners and time.monotonic() < until:
        stage.node.ask("eth_chainId")
    assert project.listeners == 0


def test_by_http_nothing_is_subscribed_to(stage: Stage) -> None:
    answer = stage.node.ask("eth_subscribe", "newHeads")
    assert (answer["code"], "connect by WebSocket" in answer["message"]) == (-32004, True)
    assert len(stage.node.project.chains.subscriptions) == 0


@cases("criteria", ["newHead"], ["logs", {"address": "0x12"}], ["logs", 5], [])
def test_a_subscription_to_what_there_is_not_is_refused(stage: Stage, criteria: list[object]) -> None:
    refused = stage.connect().ask("eth_subscribe", *criteria)
    assert (refused["code"], "Criteria" in str(refused)) == (-32602, False)


@cases("path", "/v2/users", "/_mock/projects", "/_mock/projects/x/journal")
def test_elsewhere_an_offer_of_a_websocket_is_ignored(stage: Stage, path: str) -> None:
    with pytest.raises(Closed) as refused, connected(stage.mock, path):
        pass
    assert refused.value.args[0] in (200, 401, 403, 404)


@cases("broken", "fault: connection_reset_by_peer", "answer: 503")
def test_a_rule_answers_and_what_breaks_ends_the_connection(stage: Stage, broken: str) -> None:
    answer = 'answer: {status: 200, body: {jsonrpc: "2.0", id: 7, result: "0x1"}}'
    stage.mock.load(
        f"""rules:
  - {{when: eth_gasPrice, then: {{{broken}}}}}
  - {{when: eth_chainId, then: {{{answer}}}}}
"""
    )
    socket = stage.connect()
    assert socket.ask("eth_chainId") == "0x1"
    with pytest.raises(Closed) as ended:
        socket.ask("eth_gasPrice")
    assert ended.value.args == (1011,)


def test_what_waits_does_not_hold_up_other_messages(stage: Stage) -> None:
    stage.node.fund(ALICE.address)
    stage.node.ask("evm_setAutomine", False)
    socket = stage.connect()
    raw = stage.node.sign(to=BOB.address, value=1, gas=21_000).raw_transaction.to_0x_hex()
    stage.mock.clock.tick()
    socket.send({"id": 1, "method": "eth_sendRawTransactionSync", "params": [raw, 60_000]})
    socket.send({"id": 2, "method": "eth_chainId"})
    assert socket.receive()["id"] == 2
    stage.mock.clock.advance(10)
    assert socket.receive()["result"]["status"] == "0x1"


def test_a_client_that_does_not_read_is_dropped(stage: Stage) -> None:
    socket = stage.connect()
    socket.ask("eth_subscribe", "newHeads")
    for _ in range(200):
        stage.node.ask("anvil_mine", "0xff")
        if stage.node.project.listeners == 0:
            break
        time.sleep(0.02)
    assert stage.node.project.listeners == 0
    with pytest.raises(Closed) as ended:
        socket.drain()
    assert ended.value.args == (1008,)


def test_a_page_of_another_site_controls_nothing(stage: Stage) -> None:
    path = f"/_mock/projects/{stage.mock.id}{HERE}"
    with connected(stage.mock, path, ((b"origin", b"https://evil.example"),)) as socket:
        assert socket.ask("eth_chainId") == hex(CHAIN)
        assert "evil.example" in str(socket.ask("anvil_setBalance", ALICE.address, "0x1"))
        assert stage.node.number("eth_getBalance", ALICE.address) == 0


def test_a_recording_with_websockets_replays(stage: Stage) -> None:
    stage.server.control.start_recording()
    socket = stage.connect()
    named = socket.ask("eth_subscribe", "newHeads")
    stage.node.ask("evm_mine")
    socket.tell()
    socket.ask("eth_unsubscribe", named)
    _, found = play(stage.server.control.stop_recording())
    assert found == []


def test_many_clients_share_what_they_subscribed_to(stage: Stage) -> None:
    sockets = [stage.connect() for _ in range(200)]
    for socket in sockets:
        socket.ask("eth_subscribe", "newHeads")
    assert len(stage.node.project.chains.subscriptions) == 200
    stage.node.ask("evm_mine")
    assert len({socket.tell()["result"]["hash"] for socket in sockets}) == 1


def test_solana_tells_of_slots_accounts_logs_and_signatures(stage: Stage) -> None:
    socket = stage.connect("/solana/devnet/rpc")
    address = "1" * 31 + "2"
    names = {
        socket.ask("slotSubscribe"): "slot",
        socket.ask("rootSubscribe"): "root",
        socket.ask("accountSubscribe", address, {"encoding": "base64"}): "account",
        socket.ask("logsSubscribe", {"mentions": [address]}): "logs",
    }
    socket.told.clear()
    signature = socket.ask("requestAirdrop", address, 10**9)
    told: dict[str, Any] = {}
    while len(told) < 4:
        each = socket.tell()
        told[names[each["subscription"]]] = each["result"]
    assert told["account"]["value"]["lamports"] == 10**9
    assert told["logs"]["value"]["signature"] == signature
    assert told["slot"]["slot"] == socket.ask("getSlot")
    assert told["slot"]["slot"] - 32 == told["slot"]["root"] == told["root"]
    named = socket.ask("signatureSubscribe", signature, {"commitment": "finalized"})
    assert socket.tell() == {"subscription": named, "result": {**told["account"], "value": {"err": None}}}
    assert socket.ask("slotUnsubscribe", next(iter(names))) is True


def test_solana_tells_of_the_accounts_of_a_program(stage: Stage) -> None:
    socket = stage.connect("/solana/devnet/rpc")
    addresses = ["1" * 31 + digit for digit in "23"]
    system = "1" * 32
    named = socket.ask("programSubscribe", system, {"encoding": "base64"})
    unmatched = socket.ask("programSubscribe", system, {"filters": [{"dataSize": 8}]})
    told: dict[str, int] = {}
    for address in addresses:
        socket.ask("requestAirdrop", address, 10**9)
        while address not in told:
            each = socket.tell()
            assert each["subscription"] == named
            value = each["result"]["value"]
            assert value["account"]["owner"] == system
            told[value["pubkey"]] = value["account"]["lamports"]
    # The payer of airdrops has changed as well.
    assert {told.pop(address) for address in addresses} == {10**9}
    assert len(told) == 1
    assert socket.ask("programUnsubscribe", unmatched) is True


def test_data_that_are_too_long_for_base58_are_said_to_be(stage: Stage) -> None:
    socket, address = stage.connect("/solana/devnet/rpc"), "1" * 31 + "2"
    named = socket.ask("accountSubscribe", address)
    for size, shown in ((128, "1" * 128), (129, "error: data too large for bs58 encoding")):
        socket.ask("surfnet_setAccount", address, {"data": "00" * size})
        told = socket.tell()
        assert (told["subscription"], told["result"]["value"]["data"]) == (named, shown)


def test_a_client_may_leave_four_mebibytes_unread() -> None:
    app: Any = None
    socket = Socket(app, Audiences(app), Request("POST", HERE, "", {}))
    for size, is_over in ((4 * 1024 * 1024 + 1, False), (0, True)):
        socket.push(bytes(size))
        assert socket.is_over is is_over
    socket = Socket(app, Audiences(app), Request("POST", HERE, "", {}))
    for _ in range(4 * 1024):
        socket.push(bytes(1024))
    assert not socket.is_over


def test_messages_in_a_row_leave_turns_for_others() -> None:
    messages = [
        *({"type": "websocket.receive", "text": "{}"} for _ in range(20)),
        {"type": "websocket.disconnect"},
    ]
    turns = 0

    async def receive() -> Any:
        return messages.pop(0)

    async def send(_: Any) -> None:
        return

    async def take_turns() -> None:
        nonlocal turns
        while messages and turns < 1000:
            turns += 1
            await asyncio.sleep(0)

    async def serve() -> None:
        app: Any = SimpleNamespace(take=lambda _: Response(200, (), b""), tell=lambda *_: None)
        socket = Socket(app, Audiences(app), Request("POST", HERE, "", {}))
        await asyncio.gather(socket.serve(receive, send), take_turns())

    asyncio.run(serve())
    assert turns >= 20


def test_news_for_many_leave_turns_for_others() -> None:
    told: list[bytes] = []
    turns: list[int] = []

    async def take_turns(telling: asyncio.Task[None]) -> None:
        while not telling.done():
            turns.append(len(told))
            await asyncio.sleep(0)

    async def tell() -> None:
        project: Any = None
        socket: Any = Socket(project, project, project)
        socket.push = told.append
        readers = [(socket, str(number)) for number in range(1_000)]
        feed = _Feed(WATCHERS["newHeads"], iter(()), dict.fromkeys(readers[1:]))
        audience = _Audience(project, unsent=deque([(feed, "0", readers), (feed, "1", readers)]))
        await take_turns(asyncio.ensure_future(audience.tell()))

    asyncio.run(tell())
    assert len(told) == 2 * 999
    assert max(after - before for before, after in pairwise([*turns, len(told)])) <= 256


def test_looking_for_news_leaves_turns_for_others() -> None:
    looked: list[int] = []
    turns: list[int] = []

    def watch(number: int) -> News:
        while True:
            looked.append(number)
            yield []

    async def tell() -> None:
        project: Any = None
        audience = _Audience(project)
        for number in range(5):
            wanted = Subscription("", str(number), "newHeads")
            readers = {(Socket(project, project, project), "1"): None}
            audience.feeds[wanted] = _Feed(WATCHERS["newHeads"], watch(number), readers)
        telling = asyncio.ensure_future(audience.tell())
        while not telling.done():
            turns.append(len(looked))
            await asyncio.sleep(0)

    asyncio.run(tell())
    assert looked == [*range(5)]
    assert turns[:5] == [0, 1, 2, 3, 4]


def test_a_client_that_reads_is_told_all_of_many_subscriptions() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def tell() -> None:
        app: Any = None
        socket = Socket(app, Audiences(app), Request("POST", HERE, "", {}))
        writing = asyncio.ensure_future(socket._write(send))
        readers = [(socket, str(number)) for number in range(1_000)]
        feed = _Feed(WATCHERS["newHeads"], iter(()), dict.fromkeys(readers))
        await _Audience(app, unsent=deque((feed, '"%s"' % ("x" * 1024), readers) for _ in range(10))).tell()
        assert not socket.is_over
        writing.cancel()

    asyncio.run(tell())
    assert len(sent) > 9_000


def test_what_waits_for_a_client_leaves_turns_for_others() -> None:
    sent: list[Any] = []
    turns: list[int] = []

    async def receive() -> Any:
        while len(sent) < 100:
            turns.append(len(sent))
            await asyncio.sleep(0)
        return {"type": "websocket.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    async def serve() -> None:
        app: Any = SimpleNamespace()
        socket = Socket(app, Audiences(app), Request("POST", HERE, "", {}))
        for _ in range(100):
            socket.push(b"{}")
        await socket.serve(receive, send)

    asyncio.run(serve())
    assert max(after - before for before, after in pairwise(turns)) == 1
