"""The first story from sign-up to receipt, every answer printed: run twice, it must print the same."""

import sys
from pathlib import Path
from typing import Any

from eth_account import Account
from eth_account.messages import encode_defunct
from httpx import Client

from mockserver.server.assembly import assemble
from mockserver.state.world import World
from mockserver.testing.client import MockServer
from mockserver.testing.project import MockProject
from tests.transport import InProcessTransport

SCENARIO = """
name: flaky
rules:
  - name: first contract fails
    when: {call: CreateContract, nth: 1}
    then: {answer: {status: 503, body: {message: later}}}
"""


class Story:
    """A test of a team that builds on the API: it calls, looks, and moves the clock."""

    def __init__(self, seed: str) -> None:
        self.transport = InProcessTransport(assemble(World(seed)))
        self.server = MockServer("http://mock", transport=self.transport)
        self.project: MockProject = self.server.create_project(name="story")
        self.heard: list[str] = []

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """One call with the secret key, unless other credentials are given; its answer."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        sent.setdefault("authorization", f"Bearer {self.project.secret_key}")
        with Client(transport=self.transport, base_url="http://mock") as client:
            answer = client.request(method, path, json=body, headers=sent)
        self.heard.append(
            f"{method} {path} {answer.status_code} {sorted(answer.headers.items())} {answer.text}"
        )
        return answer.json() if answer.content else None

    def tell(self) -> list[str]:
        """The whole story."""
        user, token = self.sign_up()
        self.call(
            "GET", "/iam/v2/me", authorization=f"Bearer {token}", x_project_key=self.project.publishable_key
        )
        owner = self.account(user, accountType="Externally Owned Account", chainType="EVM")
        self.account(user, accountType="Externally Owned Account", chainType="SVM")
        smart = self.account(
            user, accountType="Smart Account", chainType="EVM", chainId=80002, account=owner["id"]
        )
        contract = self.contract()
        sponsorship = self.sponsorship()
        self.plain_transfer(owner)
        self.sponsored_mint(owner, smart, contract, sponsorship)
        self.faults(owner)
        self.solana()
        for path in ("/v2/users", "/v2/accounts", "/v1/contracts", "/v2/policies", "/v2/fee-sponsorship"):
            self.call("GET", path)
        self.call("GET", "/v2/transactions?expand=timeline&expand=logs&expand=account&expand=feeSponsorship")
        self.heard += [str(self.project.journal.list()), str(self.project.outbox.list())]
        return self.heard

    def sign_up(self) -> tuple[str, str]:
        """A user with a password, and its session."""
        person = {"name": "Ada", "email": "Ada@Example.com", "password": "correct horse"}
        key = {"authorization": f"Bearer {self.project.publishable_key}"}
        self.call("POST", "/iam/v2/auth/sign-up/email", person, **key)
        answer = self.call("POST", "/iam/v2/auth/sign-in/email", person, **key)
        return answer["user"]["id"], answer["token"]

    def account(self, user: str, **wanted: object) -> Any:
        """An account of the user."""
        return self.call("POST", "/v2/accounts", {"user": user, **wanted})

    def contract(self) -> Any:
        """A registered token; the first try meets a scenario."""
        self.project.load(SCENARIO)
        inputs = [{"name": "to", "type": "address"}, {"name": "amount", "type": "uint256"}]
        mint = {"type": "function", "name": "mint", "inputs": inputs, "outputs": []}
        body = {"name": "Token", "chainId": 80002, "address": "0x" + "5f" * 20, "abi": [mint]}
        self.call("POST", "/v1/contracts", body, x_idempotency_key="token")
        self.call("POST", "/v1/contracts", body, x_idempotency_key="token")
        return self.call("POST", "/v1/contracts", body, x_idempotency_key="token")

    def sponsorship(self) -> Any:
        """A sponsor, who pays for gas."""
        rule = {
            "action": "accept",
            "operation": "sponsorEvmTransaction",
            "criteria": [{"type": "evmNetwork", "operator": "in", "chainIds": [80002]}],
        }
        policy = self.call("POST", "/v2/policies", {"scope": "project", "rules": [rule]})
        strategy = {"sponsorSchema": "pay_for_user"}
        return self.call(
            "POST",
            "/v2/fee-sponsorship",
            {"name": "All", "chainId": 80002, "policyId": policy["id"], "strategy": strategy},
        )

    def plain_transfer(self, owner: Any) -> None:
        """A native transfer, signed by the owner."""
        calls = [{"to": "0x" + "11" * 20, "value": "1000000000000000"}]
        row = self.call(
            "POST", "/v2/transactions", {"chainId": 80002, "accountId": owner["id"], "calls": calls}
        )
        signature = self.project.sign(owner["id"], hash=row["nextAction"]["hash"])
        self.call("POST", f"/v2/transactions/{row['id']}/signature", {"signature": signature})

    def sponsored_mint(self, owner: Any, smart: Any, contract: Any, sponsorship: Any) -> None:
        """A sponsored batch of a smart account, signed with the owner's key by a wallet library."""
        mint = {"contractId": contract["id"], "functionName": "mint", "functionArgs": [owner["id"], "5"]}
        row = self.call(
            "POST",
            "/v2/transactions",
            {
                "chainId": 80002,
                "accountId": smart["id"],
                "calls": [mint, {"to": owner["id"], "value": "7"}],
                "feeSponsorshipId": sponsorship["id"],
            },
        )
        key = self.project.call("GET", f"/accounts/{owner['id']}/key")["private_key"]
        message = encode_defunct(hexstr=row["nextAction"]["hash"])
        signature = "0x" + Account.from_key(key).sign_message(message).signature.hex()
        body = {"signature": signature, "waitForReceipt": False}
        self.call("POST", f"/v2/transactions/{row['id']}/signature", body)
        self.heard.append(str(self.project.clock.advance(2)))
        self.call("GET", f"/v2/transactions/{row['id']}?expand=userOperation&expand=logs&expand=timeline")

    def faults(self, owner: Any) -> None:
        """A transfer that is fated to revert, told again after a restore."""
        snapshot = self.project.snapshot()
        self.project.fate(outcome="reverted", reason="not today")
        self.plain_transfer(owner)
        self.project.restore(snapshot)
        self.plain_transfer(owner)

    def solana(self) -> None:
        """A bundle, and what became of it."""
        answer = self.project.call("POST", "/solana/transactions", json={"transactions": 2})
        self.heard.append(str(answer))
        self.heard.append(str(self.project.clock.advance(1)))
        bundle = answer.get("bundleId") or answer["bundle_id"]
        key = {"authorization": f"Bearer {self.project.publishable_key}"}
        self.call("GET", f"/v1/solana/transactions?bundleId={bundle}", **key)


if __name__ == "__main__":
    told = "\n".join(Story(sys.argv[1]).tell())
    Path(sys.argv[2]).write_text(told)
