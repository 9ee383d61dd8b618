"""A chain with compiled contracts, by the APIs alone."""

from typing import Any, NamedTuple

from httpx import Client, Response

from mockserver.state.project import Project
from mockserver.state.wallets import Account
from tests.accounts import AccountKind, account_of
from tests.chain.evm.machines import CONTRACTS
from tests.operations.responses import ok

AMOY = 80002
THERE = "0x" + "11" * 20
CONTROL = f"/_mock/projects/-/chains/{AMOY}"


def artifact_of(name: str) -> dict[str, Any]:
    """A compiled contract as Foundry writes it."""
    contract = CONTRACTS[name]
    return {"abi": contract["abi"], "bytecode": {"object": contract["creation_cancun"], "linkReferences": {}}}


def created(response: Response) -> Any:
    """The body of a response that says that something was created."""
    assert response.status_code == 201, response.text
    return response.json()


class Chain(NamedTuple):
    """Deploys contracts and sends transactions to them, as one account."""

    api: Client
    account: Account

    @classmethod
    def of(cls, api: Client, project: Project, kind: AccountKind = "plain") -> "Chain":
        return cls(api, account_of(project, kind))

    def deploy(self, name: str, *args: Any, **members: Any) -> Any:
        body = {"artifact": artifact_of(name), "name": name, "args": list(args), **members}
        return created(self.api.post(f"{CONTROL}/contracts", json=body))

    def send(self, contract: Any, function: str, *args: Any, **members: Any) -> Any:
        call = {"contractId": contract["contract_id"], "functionName": function, "functionArgs": list(args)}
        return self.send_calls(call | members)

    def send_calls(self, *calls: Any) -> Any:
        body = {"chainId": AMOY, "accountId": self.account.id, "calls": list(calls)}
        row = ok(self.api.post("/v2/transactions", json=body))
        return ok(self.api.get(f"/v2/transactions/{row['id']}", params={"expand": ["logs"]}))

    def read(self, contract: Any, function: str, *args: Any) -> Any:
        query = {"functionName": function, "functionArgs": [str(each) for each in args]}
        return ok(self.api.get(f"/v1/contracts/{contract['contract_id']}/read", params=query))["result"]

    def trace(self, row: Any) -> Any:
        return ok(self.api.get(f"/_mock/projects/-/transactions/{row['id']}/trace"))

    def address(self, address: str) -> Any:
        return ok(self.api.get(f"{CONTROL}/addresses/{address}"))
