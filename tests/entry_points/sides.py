"""Two projects that are the same but for the code of an entry point and of its accounts."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from httpx import Client

from mockserver.chain.addresses import checksum_of
from mockserver.chain.user_operations import ENTRY_POINTS, UserOperation, rpc_shape
from mockserver.domain.chains import ledger
from mockserver.domain.chains.execution import Executor, set_code, slots_of
from mockserver.kernel.effort import finish
from mockserver.server.assembly import assemble
from mockserver.state.project import Project
from mockserver.state.wallets import Account
from mockserver.state.world import World
from tests.accounts import account_of
from tests.clients.installing import installed
from tests.operations.contracts_with_code.chain import artifact_of
from tests.transport import InProcessTransport

CHAIN = 80002
ETHER = 10**18
SALTS = 8
_LIMITS = ("paymasterVerificationGasLimit", "paymasterPostOpGasLimit")
FACTORY = "0x" + "fa" * 20
TOKEN, COUNTER, REVERTS = ("0x" + digits * 20 for digits in ("70", "c0", "5e"))


@dataclass
class Side:
    """A project with a bundler, and an account whose owner is its own."""

    version: str
    project: Project
    http: Client
    account: Account
    has_code: bool = False
    paid: dict[str, int] = field(default_factory=dict)
    """What each account has paid for gas, in wei."""
    chain: int = CHAIN
    factory_accounts: tuple[str, ...] = ()
    """The accounts that the factory makes for the owner, by salt."""

    @classmethod
    def of(cls, version: str) -> "Side":
        world = World()
        project = world.create(name="entry points")
        http = Client(
            transport=InProcessTransport(assemble(world)),
            base_url="http://mock",
            headers={"authorization": f"Bearer {project.secret_key}"},
        )
        side = cls(version, project, http, account_of(project, "Simple", chain=CHAIN))
        here = ledger.chain_account(project, CHAIN, side.account.address)
        ledger.write(project, here._replace(deployed=True))
        side.fund(side.account.address)
        side.deploy(artifact_of("Token"), "Gold", "GLD", "1000", address=TOKEN, sender=side.account.address)
        side.deploy(artifact_of("Counter"), "5", address=COUNTER)
        side.deploy(artifact_of("Reverts"), address=REVERTS)
        rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": []}
        policy = side.http.post("/v2/policies", json={"scope": "project", "rules": [rule]}).json()["id"]
        body = {"strategy": {"sponsorSchema": "pay_for_user"}, "policyId": policy}
        assert side.http.post("/v2/fee-sponsorship", json=body).status_code == 201
        return side

    @classmethod
    def with_code(cls, version: str) -> "Side":
        """With the official entry point, and the account a SimpleAccount."""
        side = cls.of(version)
        side.has_code = True
        side.deploy(official(version, "EntryPoint"), entry_point=version)
        side.deploy(official(version, "SimpleAccountFactory"), ENTRY_POINTS[version], address=FACTORY)
        owner, there = side.account.signing_address, side.account.address
        made = side.address_of(owner, SALTS)
        # Since 0.8 the factory takes calls from there only.
        creator = side.node("eth_call", {"to": side.entry_point, "data": "0x09ccb880"})
        sender = "0x" + (creator[-40:] if isinstance(creator, str) else "d0" * 20)
        data = bytes.fromhex(f"5fbfb9cf{owner[2:].lower():0>64}{SALTS:064x}")
        executor = Executor(side.project, CHAIN, sender)
        assert finish(executor.call(sender, FACTORY, 0, data, 10**7)).error is None
        set_code(side.project, CHAIN, there, ledger.code_at(side.project, CHAIN, made))
        for slot, value in slots_of(side.project, CHAIN, made).items():
            ledger.set_slot(side.project, CHAIN, there, slot, value)
        side.project.undo.mark()
        side.know(tuple(side.address_of(owner, salt) for salt in range(SALTS)))
        return side

    def know(self, factory_accounts: tuple[str, ...]) -> None:
        """Fund the accounts that the factory makes."""
        self.factory_accounts = factory_accounts
        for address in factory_accounts:
            self.fund(address)

    @property
    def entry_point(self) -> str:
        """The address of the entry point."""
        return ENTRY_POINTS[self.version]

    def deploy(self, artifact: Any, *args: str, **members: Any) -> Any:
        body = {"artifact": artifact, "args": list(args), **members}
        made = self.http.post(f"/_mock/projects/-/chains/{CHAIN}/contracts", json=body)
        assert made.status_code == 201, made.text
        return made.json()

    def fund(self, address: str, wei: int = ETHER) -> None:
        self.node("anvil_setBalance", address, hex(wei))

    def node(self, method: str, *params: Any) -> Any:
        return self._ask(f"/_mock/projects/-/chains/{CHAIN}/rpc", method, params, self.project.secret_key)

    def bundle(self, method: str, *params: Any) -> Any:
        return self._ask(f"/rpc/{CHAIN}", method, params, self.project.publishable_key)

    def _ask(self, path: str, method: str, params: Any, key: str) -> Any:
        headers = {"authorization": f"Bearer {key}"}
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": list(params)}
        answer = self.http.post(path, json=body, headers=headers).raise_for_status().json()
        return answer.get("result", answer.get("error"))

    def read(self, to: str, data: bytes) -> Any:
        """What a contract returns."""
        return self.node("eth_call", {"to": to, "data": "0x" + data.hex()})

    def sponsored(self, operation: UserOperation) -> UserOperation:
        """An operation with the approval of the project's paymaster."""
        shape = rpc_shape(operation, self.version)
        given = self.bundle("pm_getPaymasterStubData", shape, self.entry_point, hex(CHAIN), None)
        if "code" in given:
            return operation
        limits = {name: int(given.get(name, "0x0"), 16) for name in _LIMITS}
        shape |= {name: hex(gas) for name, gas in limits.items()}
        given = self.bundle("pm_getPaymasterData", shape, self.entry_point, hex(CHAIN), None)
        packed = given.get("paymasterAndData") or given["paymaster"] + given["paymasterData"][2:]
        raw, (validation, after) = bytes.fromhex(packed[2:]), limits.values()
        return replace(
            operation,
            paymaster=checksum_of(raw[:20]),
            paymaster_data=raw[20:],
            paymaster_verification_gas_limit=validation,
            paymaster_post_op_gas_limit=after,
        )

    def nonce_of(self, sender: str, key: int = 0) -> int:
        data = f"0x35567e1a{sender[2:].lower():0>64}{key:064x}"
        return int(self.node("eth_call", {"to": self.entry_point, "data": data}), 16)

    def deposit_of(self, holder: str) -> int:
        data = f"0x70a08231{holder[2:].lower():0>64}"
        return int(self.node("eth_call", {"to": self.entry_point, "data": data}), 16)

    def address_of(self, owner: str, salt: int) -> str:
        """Where the factory makes an account."""
        data = f"0x8cb84e18{owner[2:].lower():0>64}{salt:064x}"
        return checksum_of(bytes.fromhex(self.node("eth_call", {"to": FACTORY, "data": data})[-40:]))


def path_of(version: str, contract: str) -> Path:
    """The file of an artifact of the package of an entry point."""
    return installed(Path(__file__).parent) / f"entry-point-{version}" / "artifacts" / f"{contract}.json"


def official(version: str, contract: str) -> Any:
    """An artifact of the package of an entry point."""
    return json.loads(path_of(version, contract).read_text(encoding="utf-8"))
