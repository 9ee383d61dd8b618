"""The first story, step by step, checked by the libraries of the field."""

import jwt
import pytest
from eth_account import Account
from eth_account.messages import encode_defunct
from eth_account.typed_transactions import TypedTransaction
from httpx import Client
from solders.pubkey import Pubkey

from mockserver.server.edge.app import App
from mockserver.state.project import Project
from mockserver.testing.client import MockServer
from mockserver.testing.project import MockProject
from tests.signing import fee_market_fields
from tests.transport import InProcessTransport

pytestmark = pytest.mark.journey

AMOY = 80002
STRANGER = "0x" + "11" * 20


@pytest.fixture
def mock(app: App, project: Project) -> MockProject:
    """The project as a test holds it, through the control API."""
    return MockServer("http://mock", transport=InProcessTransport(app)).project(project.secret_key)


@pytest.fixture
def user_id(api: Client, project: Project) -> str:
    """A user who signed up."""
    person = {"name": "Ada", "email": "ada@example.com", "password": "correct horse"}
    headers = {"authorization": f"Bearer {project.publishable_key}"}
    answer = api.post("/iam/v2/auth/sign-up/email", json=person, headers=headers)
    found: str = answer.raise_for_status().json()["user"]["id"]
    return found


def make_account(api: Client, user_id: str, **wanted: object) -> dict[str, str]:
    """An account of the user."""
    body = {"user": user_id, "accountType": "Externally Owned Account", "chainType": "EVM", **wanted}
    answer: dict[str, str] = api.post("/v2/accounts", json=body).raise_for_status().json()
    return answer


def test_a_user_signs_a_transfer_and_sees_it_confirmed(api: Client, mock: MockProject, user_id: str) -> None:
    owner = make_account(api, user_id)
    key = mock.call("GET", f"/accounts/{owner['id']}/key")["private_key"]
    assert Account.from_key(key).address == owner["address"]

    calls = [{"to": STRANGER, "value": "1000000000000000"}]
    asked = api.post("/v2/transactions", json={"chainId": AMOY, "accountId": owner["id"], "calls": calls})
    row = asked.raise_for_status().json()
    assert row["status"] == "awaiting_signature"
    assert "receipt" not in row

    signature = Account.from_key(key).unsafe_sign_hash(row["nextAction"]["hash"]).signature.hex()
    before = mock.clock.now
    answer = api.post(f"/v2/transactions/{row['id']}/signature", json={"signature": f"0x{signature}"})
    done = answer.raise_for_status().json()

    assert done["status"] == "successful"
    assert "nextAction" not in done
    assert mock.clock.now > before, "waiting for the receipt moved the frozen clock to it"
    sent = done["execution"]
    fields = fee_market_fields(sent, AMOY)
    assert row["nextAction"]["hash"] == "0x" + TypedTransaction.from_dict(fields).hash().hex()
    assert done["receipt"]["transactionHash"] == "0x" + Account.sign_transaction(fields, key).hash.hex()


def test_the_same_story_on_a_clock_that_is_held(api: Client, mock: MockProject, user_id: str) -> None:
    owner = make_account(api, user_id)
    smart = make_account(api, user_id, accountType="Smart Account", chainId=AMOY, account=owner["id"])
    calls = [{"to": STRANGER, "value": "1"}, {"to": owner["id"], "value": "2"}]
    asked = api.post("/v2/transactions", json={"chainId": AMOY, "accountId": smart["id"], "calls": calls})
    row = asked.raise_for_status().json()

    key = mock.call("GET", f"/accounts/{owner['id']}/key")["private_key"]
    message = encode_defunct(hexstr=row["nextAction"]["hash"])
    signature = "0x" + Account.from_key(key).sign_message(message).signature.hex()
    body = {"signature": signature, "waitForReceipt": False}
    sent = api.post(f"/v2/transactions/{row['id']}/signature", json=body).raise_for_status().json()
    assert sent["status"] == "sent"

    assert mock.clock.advance(1.999) == []
    assert api.get(f"/v2/transactions/{row['id']}").json()["status"] == "sent"
    (fired,) = mock.clock.advance(0.001)
    assert (fired["id"], fired["from"], fired["to"]) == (row["id"], "sent", "successful")
    done = api.get(f"/v2/transactions/{row['id']}", params={"expand": "timeline"}).json()
    assert [entry["event"] for entry in done["timeline"]] == [
        "awaiting_signature",
        "sent",
        "indexed",
        "confirmed",
        "successful",
    ]
    deployed = api.get(f"/v2/accounts/{smart['id']}").json()["smartAccount"]
    assert deployed["deployedTx"] == done["receipt"]["transactionHash"]
    assert deployed["deployedAt"] == done["receipt"]["createdAt"]


def test_an_account_on_solana_has_an_address_and_signs(api: Client, mock: MockProject, user_id: str) -> None:
    account = make_account(api, user_id, chainType="SVM")
    signature = bytes.fromhex(mock.sign(account["id"], message="hello").removeprefix("0x"))
    from solders.signature import Signature

    assert Signature.from_bytes(signature).verify(Pubkey.from_string(account["address"]), b"hello")


def test_an_access_token_verifies_with_the_key_set(api: Client, project: Project) -> None:
    keys = api.get(f"/iam/v1/{project.publishable_key}/jwks.json").raise_for_status().json()["keys"]
    assert [key.key_type for key in jwt.PyJWKSet.from_dict({"keys": keys}).keys] == ["EC"]
