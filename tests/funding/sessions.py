"""Funding sessions of a project, and what comes of them."""

from typing import Any

from httpx import Client

from mockserver.state.project import Project

CONTROL = "/_mock/projects/-"
SESSIONS = "/v2/funding/sessions"
HERE = "0x" + "11" * 20
ZERO = "0x" + "00" * 20
BASE, AMOY, SOLANA = "eip155:84532", "eip155:80002", "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1"
USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e"
TARGET = {"chain": BASE, "currency": USDC, "address": HERE}
FROM_AMOY = {"type": "evm", "source": {"chain": AMOY, "currency": ZERO, "amount": str(10**16)}}


def client_of(project: Project) -> dict[str, str]:
    """The headers of a client of the browser."""
    return {"authorization": f"Bearer {project.publishable_key}"}


def post(api: Client, project: Project, path: str, body: Any) -> Any:
    """What a client of the browser is answered."""
    return api.post(path, json=body, headers=client_of(project)).json()


def begin(api: Client, project: Project, **members: Any) -> dict[str, Any]:
    """A new session."""
    made = post(api, project, SESSIONS, {"target": TARGET, **members})
    assert made["object"] == "fundingSession", made
    found: dict[str, Any] = made
    return found


def look(api: Client, project: Project, row: dict[str, Any]) -> dict[str, Any]:
    """A session as it is now."""
    path = f"{SESSIONS}/{row['id']}?clientSecret={row['clientSecret']}"
    found: dict[str, Any] = api.get(path, headers=client_of(project)).json()
    return found


def pay(api: Client, row: dict[str, Any], **members: Any) -> Any:
    """What a payment is answered."""
    return api.post(f"{CONTROL}/funding/sessions/{row['id']}/pay", json=members).json()


def advance(api: Client, seconds: float) -> None:
    """Advance the clock."""
    assert api.post(f"{CONTROL}/clock/advance", json={"seconds": seconds}).status_code == 200


def settle(api: Client, project: Project, row: dict[str, Any], **payment: Any) -> str:
    """The status of a session once its payment has arrived or bounced."""
    pay(api, row, **payment)
    advance(api, 2)
    status: str = look(api, project, row)["status"]
    return status


def balance(api: Client, chain: str = BASE, token: str | None = USDC) -> int:
    """What the target's address has of a token, or of the native coin."""
    found = api.get(f"{CONTROL}/chains/{chain.partition(':')[2]}/addresses/{HERE}").json()
    if token is None:
        return int(found["balance_wei"])
    return sum(int(held["balance"]) for held in found["tokens"] if held["contract"] == token)
