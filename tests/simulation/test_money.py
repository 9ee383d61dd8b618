"""Random transactions, sponsors, fates and clock moves through the API: no coin, token or budget is lost."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from eth_account import Account
from httpx import Client
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mockserver.server.assembly import assemble
from mockserver.state.onchain import Transaction
from mockserver.state.project import Project
from mockserver.state.world import World
from mockserver.testing.client import MockServer
from mockserver.testing.connection import ControlApiError
from tests.thoroughness import THOROUGHNESS
from tests.transport import InProcessTransport

AMOY, ZKSYNC = 80002, 300
OWNER = Account.from_key("0x" + "01" * 32)
COIN, ART, ITEMS = ("0x" + digit * 40 for digit in "234")
FEES = {"base_fee_wei": 3 * 10**9, "priority_fee_wei": 10**8}
KINDS = ("value", "mint", "transfer", "burn", "art", "sell", "item", "give", "batch")
FATES: tuple[dict[str, Any], ...] = (
    {"outcome": "reverted", "reason": "paused"},
    {"outcome": "reverted", "panic": 17},
    {"outcome": "failed", "code": "AA25"},
    {"outcome": "dropped"},
    {"outcome": "expired"},
    {"outcome": "replaced"},
    {"outcome": "reorged"},
    {"outcome": "reorged", "reincluded": False},
    {"outcome": "never_mined"},
    {"outcome": "successful", "after_ms": 60_000},
)


def is_underway(row: Transaction) -> bool:
    return row.status == "sent" or row.is_provisional


def function(signature: str) -> dict[str, Any]:
    name, _, types = signature.rstrip(")").partition("(")
    inputs = [{"name": "", "type": text} for text in types.split(",") if text]
    return {"type": "function", "name": name, "inputs": inputs, "outputs": []}


ABIS = {
    COIN: ["transfer(address,uint256)", "mint(address,uint256)", "burn(uint256)"],
    ART: ["ownerOf(uint256)", "mint(address)", "transferFrom(address,address,uint256)"],
    ITEMS: [
        "balanceOfBatch(address[],uint256[])",
        "mint(address,uint256,uint256,bytes)",
        "safeTransferFrom(address,address,uint256,uint256,bytes)",
    ],
}


class Money(RuleBasedStateMachine):
    """One project, whose accounts spend what they and their sponsors have."""

    def __init__(self) -> None:
        super().__init__()
        self.world = World()
        transport = InProcessTransport(assemble(self.world))
        self.mock = MockServer("http://mock", transport=transport).create_project(name="money")
        self.http = Client(transport=transport, base_url="http://mock")
        self.accounts: list[dict[str, Any]] = []
        self.sponsorships: list[str] = []
        self.contracts: dict[str, str] = {}
        self.most: dict[str, int] = {}  # what each budget allows; what was spent before it counts too
        self.snapshots: list[tuple[str, int, dict[str, int]]] = []

    @property
    def project(self) -> Project:
        found = self.world.get(self.mock.id)
        assert found is not None
        return found

    def call(self, method: str, path: str, body: object = None) -> Any:
        """An answer of the API, which never breaks."""
        headers = {"authorization": f"Bearer {self.mock.secret_key}"}
        answer = self.http.request(method, path, json=body, headers=headers)
        assert answer.status_code < 500, answer.text
        return answer

    def made(self, method: str, path: str, body: object) -> Any:
        answer = self.call(method, path, body)
        assert answer.is_success, answer.text
        return answer.json()

    @initialize()
    def seed_project(self) -> None:
        for address, signatures in ABIS.items():
            body = {
                "name": "x",
                "chainId": AMOY,
                "address": address,
                "abi": [function(s) for s in signatures],
            }
            self.contracts[address] = self.made("POST", "/v1/contracts", body)["id"]
        outside = {"externalOwnerAddress": OWNER.address}
        for where in ({"chainId": AMOY}, {"chainId": AMOY, **outside}, {"chainId": ZKSYNC}):
            self.accounts.append(self.made("POST", "/v1/accounts", where))
        self.accounts.append({**self.made("POST", "/v1/settings/developer_accounts", {}), "chainId": AMOY})
        rule = {"action": "accept", "operation": "sponsorEvmTransaction"}
        policy = self.made("POST", "/v2/policies", {"scope": "project", "rules": [rule]})["id"]
        for strategy in (
            {"sponsorSchema": "pay_for_user"},
            {"sponsorSchema": "fixed_rate", "tokenContract": COIN, "tokenContractAmount": "5"},
            {"sponsorSchema": "charge_custom_tokens", "tokenContracts": [{"contract": self.contracts[COIN]}]},
        ):
            body = {"strategy": strategy, "policyId": policy, "chainId": AMOY}
            self.sponsorships.append(self.made("POST", "/v2/fee-sponsorship", body)["id"])
        gas = {"name": "Gas", "chainId": AMOY, "strategy": {"sponsorSchema": "pay_for_user"}}
        self.sponsorships.append(self.made("POST", "/v1/policies", gas)["id"])
        limit = {"type": "rate_limit", "functionName": "count_per_interval", "countLimit": 2}
        interval = {"policy": self.sponsorships[-1], "timeIntervalType": "hour", "timeIntervalValue": 1}
        self.made("POST", "/v1/policy_rules", {**limit, **interval})

    pick = st.integers(0, 50)
    kinds = st.sampled_from(KINDS)
    amount = st.sampled_from([0, 1, 3, 10**6, 3 * 10**17, 10**18])

    def address(self, pick: int) -> str:
        found: str = self.accounts[pick % len(self.accounts)]["address"]
        return found

    def send(
        self, who: int, to: int, amount: int, kind: str, sponsor: int | None = None, optimistic: bool = True
    ) -> None:
        account = self.accounts[who % len(self.accounts)]
        there, mine = self.address(to), account["address"]

        def contract(address: str, name: str, *args: str) -> dict[str, Any]:
            if account["chainId"] != AMOY:
                return {"to": address, "value": "1"}
            return {"contract": self.contracts[address], "functionName": name, "functionArgs": list(args)}

        calls = {
            "value": [{"to": there, "value": str(amount)}],
            "mint": [contract(COIN, "mint", there, str(amount))],
            "transfer": [contract(COIN, "transfer", there, str(amount))],
            "burn": [contract(COIN, "burn", str(amount))],
            "art": [contract(ART, "mint", there)],
            "sell": [contract(ART, "transferFrom", mine, there, str(amount % 4))],
            "item": [contract(ITEMS, "mint", there, "1", str(amount), "0x")],
            "give": [contract(ITEMS, "safeTransferFrom", mine, there, "1", str(amount), "0x")],
            "batch": [
                {"to": there, "value": str(amount)},
                contract(COIN, "mint", mine, "7"),
                contract(COIN, "transfer", there, str(amount)),
            ],
        }[kind]
        body: dict[str, Any] = {
            "chainId": account["chainId"],
            "account": account["id"],
            "interactions": calls,
            "optimistic": optimistic,
        }
        if sponsor is not None:
            body["policy"] = self.sponsorships[sponsor % len(self.sponsorships)]
        self.call("POST", "/v1/transaction_intents", body)

    # Hypothesis leaves some rules out of each run, so sending is several.

    @rule(who=pick, to=pick, amount=amount, kind=kinds, optimistic=st.booleans())
    def send_and_pay(self, who: int, to: int, amount: int, kind: str, optimistic: bool) -> None:
        self.send(who, to, amount, kind, None, optimistic)

    @rule(who=pick, to=pick, amount=amount, kind=kinds, sponsor=pick, optimistic=st.booleans())
    def send_with_a_sponsor(
        self, who: int, to: int, amount: int, kind: str, sponsor: int, optimistic: bool
    ) -> None:
        self.send(who, to, amount, kind, sponsor, optimistic)

    @rule(who=pick, to=pick, amounts=st.lists(amount, min_size=2, max_size=6), sponsored=st.booleans())
    def send_many_before_a_block(self, who: int, to: int, amounts: list[int], sponsored: bool) -> None:
        for place, amount in enumerate(amounts):
            self.send(who, to, amount, KINDS[(place + to) % len(KINDS)], place if sponsored else None)

    @rule(who=pick, to=pick, amount=amount, kind=kinds, fate=st.sampled_from(FATES), sponsor=pick)
    def send_to_a_fate(
        self, who: int, to: int, amount: int, kind: str, fate: dict[str, Any], sponsor: int
    ) -> None:
        self.mock.fate(**fate)
        self.send(who, to, amount, kind, sponsor if sponsor % 2 else None)
        self.mock.clock.advance(1)

    @precondition(lambda self: self.waiting())
    @rule(pick=pick, rightly=st.booleans())
    def sign(self, pick: int, rightly: bool) -> None:
        waiting = self.waiting()
        row = waiting[pick % len(waiting)]
        assert row.execution is not None
        signer = OWNER if rightly else Account.from_key("0x" + "02" * 32)
        signature = "0x" + signer.unsafe_sign_hash(row.execution.signing_hash).signature.hex()
        answer = self.call("POST", f"/v2/transactions/{row.id}/signature", {"signature": signature})
        assert answer.status_code == (200 if rightly else 409)

    @rule(fate=st.sampled_from(FATES))
    def let_something_become(self, fate: dict[str, Any]) -> None:
        self.mock.fate(**fate)

    @rule(seconds=st.sampled_from([0.5, 1, 2, 4, 60, 3600]))
    def let_time_pass(self, seconds: float) -> None:
        self.mock.clock.advance(seconds)

    @rule(depth=st.integers(1, 50))
    def take_blocks_back(self, depth: int) -> None:
        with suppress(ControlApiError):  # Where no transaction is in these blocks.
            self.mock.reorganize(AMOY, depth)

    @rule(
        who=pick, wei=st.sampled_from([0, 10**15, 10**18, 5 * 10**18]), tokens=st.sampled_from([0, 5, 10**6])
    )
    def fund(self, who: int, wei: int, tokens: int) -> None:
        self.mock.fund(AMOY, self.address(who), wei, token=COIN, amount=tokens)

    @rule(pick=pick, wei=st.sampled_from([None, 0, 10**15, 3 * 10**15]))
    def set_a_budget(self, pick: int, wei: int | None) -> None:
        which = self.sponsorships[pick % len(self.sponsorships)]
        self.mock.budget(which, wei)
        account = self.project.guardrails.sponsor_accounts.get(which)
        if wei is None:
            self.most.pop(which, None)
        else:
            self.most[which] = max(wei, account.spent_wei + account.reserved_wei if account else 0)

    @rule(pick=pick, enabled=st.booleans())
    def switch_a_sponsorship(self, pick: int, enabled: bool) -> None:
        which = self.sponsorships[pick % len(self.sponsorships)]
        self.call("PUT", f"/v2/fee-sponsorship/{which}/{'enable' if enabled else 'disable'}")

    @rule(strict=st.booleans(), pricey=st.booleans())
    def change_the_world(self, strict: bool, pricey: bool) -> None:
        chains = {str(AMOY): FEES} if pricey else {}
        self.mock.change(strict_token_balances=strict, chains=chains)

    @rule(pick=pick, amount=st.sampled_from(["1", "5", "1000000"]))
    def withdraw(self, pick: int, amount: str) -> None:
        which = self.sponsorships[pick % len(self.sponsorships)]
        body = {"account": self.accounts[3]["id"], "amount": amount}
        self.call("POST", f"/v1/policies/{which}/withdraw", body)

    @rule(address=st.sampled_from(sorted(ABIS)), deleted=st.sampled_from([True, False, False]))
    def forget_or_remember_a_contract(self, address: str, deleted: bool) -> None:
        self.call("POST", f"/v1/contracts/{self.contracts[address]}", {"deleted": deleted})

    @rule()
    def take_a_snapshot(self) -> None:
        self.snapshots.append((self.mock.snapshot(), len(self.accounts), dict(self.most)))

    @precondition(lambda self: self.snapshots)
    @rule(pick=pick)
    def go_back(self, pick: int) -> None:
        taken, accounts, most = self.snapshots[pick % len(self.snapshots)]
        self.mock.restore(taken)
        self.most = dict(most)
        del self.accounts[accounts:]

    # --- what always holds ------------------------------------------------------------------------

    def rows(self) -> list[Transaction]:
        return list(self.project.onchain.transactions)

    def waiting(self) -> list[Transaction]:
        return [row for row in self.rows() if row.status == "awaiting_signature"]

    @invariant()
    def no_coin_is_lost(self) -> None:
        kept: Counter[str] = Counter()
        for row in self.project.chains.accounts:
            assert row.balance >= 0
            kept[row.id.partition(":")[0]] += row.balance - row.issued
        assert not any(kept.values())

    @invariant()
    def what_is_underway_is_reserved_and_nothing_else(self) -> None:
        reserved: Counter[str] = Counter()
        for row in self.rows():
            if is_underway(row) and row.reservation is not None:
                reserved[f"{row.chain_id}:{row.reservation.sender.lower()}"] += row.reservation.value
                reserved[f"{row.chain_id}:{row.reservation.payer.lower()}"] += row.reservation.gas
        found = {row.id: row.reserved for row in self.project.chains.accounts if row.reserved}
        assert found == {key: amount for key, amount in reserved.items() if amount}

    @invariant()
    def no_token_is_lost(self) -> None:
        rows = list(self.project.chains.token_holdings)
        assert all(row.balance >= 0 for row in rows)
        assert sum(row.balance - row.issued for row in rows) == 0
        units = Counter(row.unit for row in rows if row.balance and ART[2:] in row.token)
        assert all(count == 1 for count in units.values())

    @invariant()
    def sponsors_spent_what_transactions_say(self) -> None:
        spent: Counter[str] = Counter()
        reserved: Counter[str] = Counter()
        paid_back: Counter[str] = Counter()
        for row in self.rows():
            payment = row.receipt.payment if row.receipt else None
            if payment is not None and payment.sponsorship_id is not None and row.is_settled:
                spent[payment.sponsorship_id] += payment.wei
                paid_back[payment.sponsorship_id] += payment.token_amount
            sponsored = row.reservation is not None and row.reservation.payer != row.reservation.sender
            if is_underway(row) and row.reservation is not None and sponsored and row.fee_sponsorship_id:
                reserved[row.fee_sponsorship_id] += row.reservation.gas
        for account in self.project.guardrails.sponsor_accounts:
            assert (account.spent_wei, account.reserved_wei) == (spent[account.id], reserved[account.id])
            assert account.spent_wei + account.reserved_wei <= self.most.get(account.id, 10**30)
        for held in self.project.guardrails.collected_tokens:
            assert 0 <= held.amount <= paid_back[held.sponsorship_id]

    @invariant()
    def every_transaction_can_be_shown(self) -> None:
        expand = "expand=logs&expand=timeline&expand=account&expand=feeSponsorship&expand=userOperation"
        shown = self.call("GET", f"/v2/transactions?limit=100&{expand}").json()["data"]
        intents = self.call("GET", "/v1/transaction_intents?limit=100&expand=policy").json()["data"]
        statuses = {row.id: row.status for row in list(self.rows())[-100:]}
        assert {row["id"]: row["status"] for row in shown} == statuses
        ended = {
            row_id for row_id, status in statuses.items() if status in ("successful", "reverted", "failed")
        }
        assert {row["id"] for row in intents if "response" in row} == ended

    @invariant()
    def places_in_blocks_are_taken_once(self) -> None:
        def places() -> Iterator[tuple[int, int, int]]:
            for row in self.rows():
                if row.receipt is not None and row.receipt.place is not None:
                    yield row.chain_id, row.receipt.place.block_number, row.receipt.place.transaction_index

        found = list(places())
        assert len(found) == len(set(found))


Money.TestCase.settings = settings(
    max_examples=8 * THOROUGHNESS,
    stateful_step_count=40,
    # Shrinking a story takes minutes, and the one that was found tells the failure, too.
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
)
TestMoney = Money.TestCase
