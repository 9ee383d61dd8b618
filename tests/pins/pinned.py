"""What is pinned: values that follow from a seed, and digests of what journeys of `tests.regression` hear."""

import hashlib
import json
from pathlib import Path

import httpx

from mockserver.chain.implementations import IMPLEMENTATIONS
from mockserver.domain.chains import ledger
from mockserver.domain.chains.deposits import paymaster_address
from mockserver.domain.identity.sessions import open_session
from mockserver.domain.identity.users import create_user
from mockserver.domain.wallets.accounts import create_contract_account, create_eoa
from mockserver.domain.wallets.wallet_secrets import default_secret
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.world import World
from tests.regression.comparison import SEALED
from tests.regression.exchanges import Answer, Exchange, Request
from tests.regression.server import HOST, UNTOLD
from tests.regression.story import Send, Story
from tests.regression.whole_story import JOURNEYS, Journey
from tests.transport import InProcessTransport

SEED = "pins"
CHAIN = 80002
FILE = Path(__file__).with_name("pins.json")
DIGITS = 16


def _name(journey: Journey) -> str:
    return f"{journey.__module__.rpartition('.')[2]}.{getattr(journey, '__name__', '')}"


# The control API is for tests, which ask it by names; its answers may change with every version.
NAMED = {_name(journey): journey for journey in JOURNEYS if not _name(journey).startswith("control.")}


def pins() -> dict[str, dict[str, str]]:
    """Everything that is pinned, as the code has it now."""
    return {"values": values(), "journeys": {name: digest_of(journey) for name, journey in NAMED.items()}}


def values() -> dict[str, str]:
    """Ids, tokens, keys, addresses and hashes of a project whose seed is fixed."""
    world = World(SEED)
    project = world.create(name="pins")
    user = create_user(project, name="Ada", email="ada@example.com")
    owner = create_eoa(project, create_wallet(project), "EVM", held_by="Developer")
    solana = create_eoa(project, create_wallet(project), "SVM", held_by="Developer")
    smart = create_contract_account(project, owner, CHAIN, IMPLEMENTATIONS["CaliburV9"])
    return {
        "project id": project.id,
        "id of a drawn row": project.new_id("tst"),
        "user id": user.id,
        "session token": open_session(project, user).token,
        "drawn text": project.entropy.text("pins", 20),
        "wallet secret": hashlib.sha256(default_secret(project).encode()).hexdigest()[:DIGITS],
        "EVM account": f"{owner.id} {owner.address}",
        "SVM account": f"{solana.id} {solana.address}",
        "smart account": f"{smart.id} {smart.address}",
        "paymaster": paymaster_address(project),
        "block": ledger.block_at(project, CHAIN, project.clock.now_ms).hash,
        "transaction": transaction(world, project, owner.id),
    }


def transaction(world: World, project: Project, account_id: str) -> str:
    """The id and the hash of a transaction, sent by the account."""
    project.undo.mark()
    with httpx.Client(transport=InProcessTransport(assemble(world)), base_url=f"http://{HOST}") as client:
        body = {"chainId": CHAIN, "accountId": account_id, "calls": [{"to": "0x" + "11" * 20, "value": "1"}]}
        headers = {"authorization": f"Bearer {project.secret_key}"}
        row = client.post("/v2/transactions", json=body, headers=headers).json()
    return f"{row['id']} {row['receipt']['transactionHash']}"


def digest_of(journey: Journey) -> str:
    """A digest of all answers of the public API to a journey, in a world of its own."""
    story = Story(_in_process(World(SEED)))
    journey(story)
    digest = hashlib.sha256()
    for exchange in story.exchanges:
        if exchange.request.is_public:
            digest.update(_line(exchange).encode("utf-8", "surrogateescape") + b"\n")
    return digest.hexdigest()[:DIGITS]


def _line(exchange: Exchange) -> str:
    request, answer = exchange.request, exchange.answer
    body = answer.body
    if answer.succeeded and exchange.operation in SEALED:
        body = json.dumps(sorted(answer.json))
    return json.dumps([exchange.operation, request.method, request.path, answer.status, answer.headers, body])


def _in_process(world: World) -> Send:
    transport = InProcessTransport(assemble(world))

    def send(request: Request) -> Answer:
        headers = [(name.encode(), value.encode()) for name, value in request.headers.items()]
        content = request.body.encode("utf-8", "surrogateescape")
        asked = httpx.Request(
            request.method, f"http://{HOST}{request.path}", headers=headers, content=content
        )
        got = transport.handle_request(asked)
        kept = [[name.lower(), value] for name, value in got.headers.multi_items()]
        headers_told = [pair for pair in kept if pair[0] not in UNTOLD]
        return Answer(got.status_code, headers_told, got.content.decode("utf-8", "surrogateescape"))

    return send


def read() -> dict[str, dict[str, str]]:
    """What is pinned in the file."""
    found: dict[str, dict[str, str]] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def write(found: dict[str, dict[str, str]]) -> None:
    """Pin these."""
    FILE.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
