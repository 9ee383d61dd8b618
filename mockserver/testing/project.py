"""A project, for tests: its keys, clock, outbox and journal."""

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from http import HTTPStatus
from pathlib import Path
from types import EllipsisType
from typing import TYPE_CHECKING, Any, Unpack

from mockserver.kernel.mappings import without_none
from mockserver.testing.clock import MockClock
from mockserver.testing.connection import Asked, ControlApiError, ControlClient, Entry, Json, ProjectClient
from mockserver.testing.environment import client_environment, node_url
from mockserver.testing.records import Call, MockJournal, MockOutbox, verify
from mockserver.testing.webhooks import MockWebhooks

if TYPE_CHECKING:
    import httpx

    from mockserver.domain.transactions.fate_options import SetFate
    from mockserver.testing.given import Given
    from mockserver.testing.signing import WalletAuth

__tracebackhide__ = True


class MockProject:
    """A project of a mock server: URL and keys for clients, and control of its state.

    It uses the control API only, so the server may be in this process or elsewhere.
    """

    def __init__(self, client: ControlClient, answer: Mapping[str, Any]) -> None:
        self.id: str = answer["id"]
        self.name: str = answer["name"]
        self.secret_key: str = answer["secret_key"]
        self.publishable_key: str = answer["publishable_key"]
        self.livemode: bool = answer["livemode"]
        self._client = ProjectClient(client, self.id)
        self.clock = MockClock(self._client)
        self.outbox = MockOutbox(self._client)
        self.journal = MockJournal(self._client)
        self.webhooks = MockWebhooks(self._client)
        self.places: Sequence[Path] = ()
        """The directory of scenario files, tried before the working directory."""
        self.inline_name = "inline scenario"
        """What a scenario is called that is given as text and has no name."""
        self.is_deleted = False
        """Whether `delete` was called."""
        self.loaded: list[str] = []
        """The ids of the scenarios that `load` loaded, without those that they require."""

    def __repr__(self) -> str:
        return f"<MockProject {self.id}>"

    @property
    def url(self) -> str:
        """The base URL for a client of the API."""
        return self._client.server.url

    @cached_property
    def given(self) -> "Given":
        """Rows that tests often need: `project.given.user()`."""
        from mockserver.testing.given import Given

        return Given(self._client, self.publishable_key)

    @property
    def wallet_secret(self) -> str:
        """The secret that signs `X-Wallet-Auth`: base64 of its PKCS#8, registered with the project."""
        secret: str = self.call("POST", "/wallet-secret")["wallet_secret"]
        return secret

    @property
    def wallet_auth(self) -> "WalletAuth":
        """Signs requests with the wallet secret: `client.post(path, json=body, auth=project.wallet_auth)`."""
        from mockserver.testing.signing import WalletAuth

        return WalletAuth(lambda: self.wallet_secret, lambda: self.clock.now_s)

    @property
    def env(self) -> dict[str, str]:
        """The environment variables that the official clients and `MockServer` read."""
        return client_environment(
            self.url,
            self.secret_key,
            self.publishable_key,
            self.wallet_secret,
            self._client.server.control_token,
        )

    def rpc_url(self, chain_id: int) -> str:
        """The URL of a chain's node, for viem, web3.py and other clients of nodes. It needs no key."""
        return node_url(self.url, self.publishable_key, chain_id)

    def headers(self, token: str | None = None) -> dict[str, str]:
        """The credentials of a user's client: the publishable key, and a session's token when signed in."""
        key = {"x-project-key": self.publishable_key}
        bearer = self.publishable_key if token is None else token
        return {**key, "authorization": f"Bearer {bearer}"}

    def call(self, method: str, path: str = "", **asked: Unpack[Asked]) -> Any:
        """One call to this project's part of the control API; `path` is relative to it.

        Takes `json` or `content`, `params`, `headers` and `timeout_s`.
        """
        return self._client.call(method, path, **asked)

    def connect(self) -> "httpx.Client":
        """A client of the API with the secret key, in process if the server is; the caller closes it."""
        return self._client.server.connect({"authorization": f"Bearer {self.secret_key}"})

    def connect_async(self) -> "httpx.AsyncClient":
        """The same for asyncio and trio."""
        return self._client.server.connect_async({"authorization": f"Bearer {self.secret_key}"})

    def sign(
        self,
        account_id: str,
        *,
        hash: str | None = None,
        message: str | None = None,
        typed_data: Mapping[str, Any] | None = None,
        transaction: str | None = None,
    ) -> str:
        """Sign as the account's owner; the signature in hex. Give one of the four.

        `hash` is 32 bytes in hex, `message` is text (EIP-191 on EVM), `typed_data` is an EIP-712
        document with its types, and `transaction` is one that is not signed yet, serialized, in hex.
        """
        given = {"hash": hash, "message": message, "typedData": typed_data, "transaction": transaction}
        path = f"/accounts/{account_id}/sign"
        signature: str = self.call("POST", path, json=without_none(given))["signature"]
        return signature

    @property
    def fate(self) -> "SetFate":
        """Set the fate of future transactions, or of one: `project.fate(outcome="reverted")`.

        Takes `outcome`; the options of that outcome (`after_ms`, `reason`, `error` with `args`, `panic`,
        `code`, `reincluded`); `count`, None for every one; and `chain_id`, `account_id`, `transaction_id`
        or `kind="solana_transaction"` to say which transactions it takes. Returns the fate.
        """

        def set_fate(**fate: Any) -> Entry:
            return self._client.ask("POST", "/fates", json=fate)

        return set_fate

    def fund(
        self,
        chain_id: int,
        address: str,
        wei: int | None = None,
        *,
        token: str | None = None,
        amount: int = 0,
        token_id: int | None = None,
    ) -> Entry:
        """Set the balance of an address, in wei or of a token; returns its state on the chain."""
        given: dict[str, Any] = {} if wei is None else {"balance_wei": str(wei)}
        if token is not None:
            held = {"contract": token, "balance": str(amount)}
            given["tokens"] = [held if token_id is None else {**held, "token_id": str(token_id)}]
        return self._client.ask("PUT", f"/chains/{chain_id}/addresses/{address}", json=given)

    def deploy(
        self, artifact: str | Path | Mapping[str, Any], *args: Json, chain_id: int, **members: Json
    ) -> Entry:
        """Create a contract whose code is executed, from what Foundry, Hardhat or solc wrote.

        `artifact` is a path, relative as for `load`, or what is in the file; `args` are those of the
        constructor. `members` are those of DeployContract, such as `value_wei`, `salt` and `address`.
        Returns its `address`, and the `contract_id` of its registration.
        """
        given: dict[str, Any] = {"args": args, **members}
        if isinstance(artifact, Mapping):
            given["artifact"] = artifact
        else:
            from mockserver.chain.artifacts import read_document

            file = find_file(artifact, self.places, "artifact")
            try:
                given["artifact"] = read_document(file)
            except ValueError as error:
                raise ValueError(f"{file} is no compiled contract: {error}") from None
            given.setdefault("name", file.stem)
        return self._client.ask("POST", f"/chains/{chain_id}/contracts", json=given)

    def trace(self, transaction_id: str) -> Entry:
        """The `calls` that a transaction, by its id or hash, executed, and its `failure`: where and why."""
        return self._client.ask("GET", f"/transactions/{transaction_id}/trace")

    def pay(self, session_id: str, amount: int | None = None, *, bounces: bool = False) -> Entry:
        """Pay a funding session what is due, or an amount in the source's smallest unit; the session."""
        given = {"bounces": bounces} if amount is None else {"bounces": bounces, "amount": str(amount)}
        return self._client.ask("POST", f"/funding/sessions/{session_id}/pay", json=given)

    def holdings(self, chain_id: int, address: str) -> Entry:
        """The state of an address on a chain: `balance_wei`, `tokens`, nonces."""
        return self._client.ask("GET", f"/chains/{chain_id}/addresses/{address}")

    def reorganize(self, chain_id: int, depth: int = 1) -> Entry:
        """Replace the latest blocks of a chain by siblings."""
        return self._client.ask("POST", f"/chains/{chain_id}/reorganize", json={"depth": depth})

    def budget(self, fee_sponsorship_id: str, wei: int | EllipsisType | None = ...) -> Entry:
        """The budget of a fee sponsorship. Sets it first if `wei` is given; None for no limit."""
        path = f"/fee-sponsorships/{fee_sponsorship_id}/budget"
        if isinstance(wei, EllipsisType):
            return self._client.ask("GET", path)
        return self._client.ask("PUT", path, json={"budget_wei": None if wei is None else str(wei)})

    def decisions(self, transaction_id: str) -> Entry:
        """The decisions of policies and sponsorship about a transaction: `sending` and `sponsoring`."""
        return self._client.ask("GET", f"/transactions/{transaction_id}/decisions")

    def evaluate(
        self, operation: str, payload: Mapping[str, Any] | None = None, *, account_id: str | None = None
    ) -> Entry:
        """Evaluate an operation, with a trace of each policy, rule and criterion."""
        given = {"operation": operation, "payload": payload, "accountId": account_id}
        return self._client.ask("POST", "/policies/evaluate", json=without_none(given))

    def announce_imports(self, *private_keys: str) -> list[Entry]:
        """Announce the private keys of the next imports, for clients with the real service's import key.

        An EVM key is 64 hexadecimal digits, a Solana key the base58 of its seed, or of seed and public
        key. They replace those announced before. Returns `chain_type` and `address` of each.
        """
        announced: list[Entry] = self.call("PUT", "/imports", json={"private_keys": private_keys})["data"]
        return announced

    def pass_mfa(self, session: str) -> Entry:
        """Mark a session, by its id or token, as having passed multi-factor authentication (AAL2)."""
        return self._client.ask("PUT", f"/sessions/{session}/aal2")

    @property
    def captured(self) -> Entry:
        """The answers that scenarios captured with `as`, by name; later scenarios override earlier ones."""
        loaded = self._client.entries("/scenarios")
        return {name: answer for entry in loaded for name, answer in entry["captured"].items()}

    def load(self, scenario: str | Path | Mapping[str, Any]) -> Entry:
        """Load a scenario: a path, its text, or what is in it. `captured` then has the captured answers.

        In pytest a path is relative to the test's directory, or else to the working directory. The files
        that it requires are loaded before it, unless they are loaded already.
        """
        text, file = read_scenario(scenario, self.places)
        if file is not None and b"requires" in text:
            self._load_required(file)
        loaded = self._load_text(text, self.inline_name if file is None else file.name)
        self.loaded.append(loaded["id"])
        return loaded

    def _load_required(self, file: Path) -> None:
        from mockserver.scenario.checking.files import read_text, required_files

        loaded = {entry["source"] for entry in self._client.entries("/scenarios")}
        for required in required_files(file):
            if required.name not in loaded:
                self._load_text(read_text(required).encode(), required.name)

    def _load_text(self, text: bytes, source: str) -> Entry:
        headers = {"content-type": "application/yaml"}
        return self._client.ask(
            "POST", "/scenarios", content=text, headers=headers, params={"source": source}
        )

    def verify(
        self,
        call: str | Sequence[str] = (),
        *,
        headers: Mapping[str, Any] | None = None,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
        exactly: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        between: tuple[int, int] | None = None,
        never: bool = False,
        since: int = 0,
        within: str | None = None,
    ) -> int:
        """Assert how many calls arrived, at least one unless said otherwise; returns how many.

        `call` is an operation id, or a method and path, or several of which any will do; `headers`,
        `query` and `body` are tests by name or path, as in the `when` of a rule. `since` is a number in
        the journal. `within="5s"` waits so long for enough calls. AssertionError shows the closest calls.
        """
        asked = {"call": call if isinstance(call, str) else [*call], "headers": headers, "query": query}
        count = {"exactly": exactly, "at_least": at_least, "at_most": at_most, "between": between}
        given = without_none({**asked, "body": body, **count})
        return verify(self._client, "/verify", {**given, "never": never, "since": since}, within)

    def verify_sequence(self, *calls: Call, since: int = 0, within: str | None = None) -> None:
        """Assert that calls arrived in this order; others may have come in between.

        Each is an operation id, or a mapping of `call`, `headers`, `query` and `body`.
        """
        verify(self._client, "/verify-sequence", {"calls": calls, "since": since}, within)

    def no_interactions(self, *, since: int = 0, within: str | None = None) -> None:
        """Assert that no call at all arrived."""
        self.verify(never=True, since=since, within=within)

    def near_misses(self, number: int | None = None) -> list[Entry]:
        """The scenario rules that an exchange, by default the latest, nearly matched, and the reasons."""
        if number is None:
            number = self.journal.last_number
        return self._client.entries(f"/journal/{number}/near-misses")

    def change(self, **settings: Json) -> Entry:
        """Change settings; the others are unchanged. Returns all of them."""
        return self._client.ask("PUT", "/settings", json=settings)

    def snapshot(self, name: str | None = None) -> str:
        """Take a snapshot of the project; returns its id."""
        snapshot: str = self.call("POST", "/snapshots", json={} if name is None else {"name": name})["id"]
        return snapshot

    def restore(self, snapshot: str) -> None:
        """Restore a snapshot, any number of times."""
        self.call("POST", f"/snapshots/{snapshot}/restore")

    def state(self) -> bytes:
        """All that the project is, its keys and other secrets included, for `MockServer.load_state`."""
        return self._client.server.fetch(f"/_mock/projects/{self.id}/state")

    def fork(self, at: int | str, name: str | None = None) -> "MockProject":
        """Create a project with the state of an earlier moment: that after an exchange, by its number.

        `timeline` names the moments after other changes.
        """
        body = {"at": at} if name is None else {"at": at, "name": name}
        return MockProject(self._client.server, self.call("POST", "/forks", json=body))

    def travel(self, to: int | str) -> None:
        """Go back to the state of an earlier moment, as in `fork`."""
        self.call("POST", "/travel", json={"to": to})

    def timeline(self) -> list[Entry]:
        """Calls and what else changed the project, oldest first; `moment` names the moment after each."""
        return self._client.entries("/timeline", {"limit": 10_000})

    def differences(self, earlier: int | str, later: int | str | None = None) -> list[Entry]:
        """The rows that differ between two moments, or one and the current state; moments as in `fork`."""
        return self._client.entries("/differences", {"earlier": earlier, "later": later, "limit": 10_000})

    def reset(self) -> None:
        """Reset the project to its keys, seed, settings and start-up scenarios."""
        self.call("POST", "/reset")

    def delete(self) -> None:
        """Delete the project and its keys, idempotently."""
        self.is_deleted = True
        try:
            self.call("DELETE")
        except ControlApiError as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise


def read_scenario(
    scenario: str | Path | Mapping[str, Any], places: Sequence[Path]
) -> tuple[bytes, Path | None]:
    """A scenario's text and file. YAML is the text itself, a mapping what is in it, anything else a path.

    What is not UTF-8, the server says with its place.

    A path is relative to one of `places`, or else to the working directory; FileNotFoundError
    otherwise.
    """
    if isinstance(scenario, Mapping):
        return json.dumps(scenario).encode(), None
    if isinstance(scenario, str) and ("\n" in scenario or ": " in scenario):
        return scenario.encode(), None
    file = find_file(scenario, places, "scenario")
    text = file.read_bytes()
    if b"artifact" in text:
        from mockserver.scenario.reading.artifacts import include_artifacts
        from mockserver.scenario.reading.findings import decode

        text = include_artifacts(decode(text, file.name), file).encode()
    return text, file


def find_file(name: str | Path, places: Sequence[Path], what: str) -> Path:
    """A file in one of the places or in the working directory; FileNotFoundError otherwise."""
    looked = [*places, Path.cwd()]
    for place in looked:
        if (place / name).is_file():
            return place / name
    raise FileNotFoundError(
        f"there is no {what} file {name} in {' or '.join(dict.fromkeys(map(str, looked)))}"
    )
