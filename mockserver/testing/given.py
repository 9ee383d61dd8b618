"""What tests often need before they begin, made by calls of the API that the journal leaves out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from mockserver.kernel.mappings import without_none
from mockserver.testing.connection import Entry, Json, ProjectClient

__tracebackhide__ = True

_Members = Mapping[str, object]
_Step = _Members
_TESTNET = 80002
"""Polygon Amoy."""
_ONE_COIN = 10**18


@dataclass(frozen=True, kw_only=True)
class GivenUser:
    """A user who is signed in."""

    id: str
    email: str
    password: str
    token: str
    """The token of the session."""
    headers: Mapping[str, str]
    """What the user's client sends: publishable key and token."""


@dataclass(frozen=True, kw_only=True)
class GivenAccount:
    """A smart account of a user, with a balance."""

    id: str
    address: str
    chain_id: int
    user_id: str
    owner_id: str
    """The account that signs for it."""


@dataclass(frozen=True, kw_only=True)
class GivenSponsorship:
    """A contract, calls of which are sponsored."""

    id: str
    """The fee sponsorship, for `feeSponsorshipId`."""
    policy_id: str
    contract_id: str
    address: str
    chain_id: int


@dataclass(frozen=True, kw_only=True)
class GivenWallet:
    """A backend wallet whose gas is paid by a sponsorship, as a delegated account."""

    id: str
    """The account that sends, for `accountId`."""
    address: str
    chain_id: int
    wallet_id: str
    sponsorship_id: str
    """The fee sponsorship, for `feeSponsorshipId`."""


class Given:
    """Makes what tests begin with. The calls are those of the public API, and rules do not touch them."""

    def __init__(self, client: ProjectClient, publishable_key: str) -> None:
        self._client = client
        self._publishable_key = publishable_key
        self._users = count(1)
        self._contracts = count(1)

    def user(
        self, *, email: str | None = None, name: str = "Ada", password: str = "correct horse"
    ) -> GivenUser:
        """A user who signed up with an e-mail address and a password, and is signed in."""
        email = email or f"user{next(self._users)}@example.com"
        body = {"email": email, "name": name, "password": password}
        made = self._make(_step("user", "signUpEmail", _escape(body)))["user"]
        return GivenUser(
            id=made["user"]["id"],
            email=email,
            password=password,
            token=made["token"],
            headers={"x-project-key": self._publishable_key, "authorization": f"Bearer {made['token']}"},
        )

    def funded_account(
        self, user: GivenUser | None = None, *, chain_id: int = _TESTNET, wei: int = _ONE_COIN
    ) -> GivenAccount:
        """A smart account of a user, of a new one unless given, with a balance in wei."""
        user = user or self.user()
        owned: _Members = {"user": user.id, "chainType": "EVM"}
        smart: _Members = {"accountType": "Smart Account", "chainId": chain_id, "account": "${owner.id}"}
        made = self._make(
            _step("owner", "createAccountV2", {**owned, "accountType": "Externally Owned Account"}),
            _step("account", "createAccountV2", {**owned, **smart}),
            {
                "call": "SetChainAddress",
                "path": {"chain": str(chain_id), "address": "${account.address}"},
                "body": {"balance_wei": str(wei)},
            },
        )
        account = made["account"]
        return GivenAccount(
            id=account["id"],
            address=account["address"],
            chain_id=chain_id,
            user_id=user.id,
            owner_id=made["owner"]["id"],
        )

    def sponsored_contract(
        self,
        address: str | None = None,
        *,
        chain_id: int = _TESTNET,
        name: str = "Token",
        abi: Sequence[Mapping[str, Json]] | None = None,
    ) -> GivenSponsorship:
        """A registered contract, and a fee sponsorship that pays for the gas of calls to it."""
        address = address or f"0x{next(self._contracts):040x}"
        contract: _Members = {"name": name, "chainId": chain_id, "address": address, "abi": abi}
        criteria = [{"type": "evmAddress", "operator": "in", "addresses": [address]}]
        made = self._make(
            _step("contract", "CreateContract", _escape(without_none(contract))), *_sponsorship(criteria)
        )
        return GivenSponsorship(
            id=made["sponsorship"]["id"],
            policy_id=made["policy"]["id"],
            contract_id=made["contract"]["id"],
            address=address,
            chain_id=chain_id,
        )

    def sponsored_wallet(self, *, chain_id: int = _TESTNET) -> GivenWallet:
        """A backend wallet, as a delegated account, and a fee sponsorship that pays for its gas."""
        delegated = {
            "user": "${wallet.walletId}",
            "account": "${wallet.id}",
            "accountType": "Delegated Account",
            "chainType": "EVM",
            "chainId": chain_id,
        }
        made = self._make(
            _step("wallet", "createBackendWallet", {"chainType": "EVM"}),
            _step("account", "createAccountV2", delegated),
            *_sponsorship([]),
        )
        return GivenWallet(
            id=made["account"]["id"],
            address=made["account"]["address"],
            chain_id=chain_id,
            wallet_id=made["wallet"]["id"],
            sponsorship_id=made["sponsorship"]["id"],
        )

    def _make(self, *steps: _Step) -> Entry:
        return self._client.make_rows(steps)


def _step(name: str, operation: str, body: _Members) -> _Step:
    return {"call": operation, "body": body, "as": name}


def _sponsorship(criteria: Sequence[_Members]) -> tuple[_Step, _Step]:
    """A policy that accepts what meets the criteria, and a fee sponsorship with it."""
    rule = {"action": "accept", "operation": "sponsorEvmTransaction", "criteria": criteria}
    strategy = {"sponsorSchema": "pay_for_user"}
    return (
        _step("policy", "CreatePolicyV2", {"scope": "project", "rules": [rule]}),
        _step(
            "sponsorship",
            "CreateFeeSponsorship",
            {"name": "given", "policyId": "${policy.id}", "strategy": strategy},
        ),
    )


def _escape(body: _Members) -> _Members:
    """Texts of a test are no references to what steps captured."""
    return {
        name: value.replace("${", "$${") if isinstance(value, str) else value for name, value in body.items()
    }
