"""A project as a test holds it: its keys, its clock, its outbox, its journal."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mockserver.testing.environment import client_environment

if TYPE_CHECKING:
    from mockserver.testing.client import MockServer

Entry = dict[str, Any]

_MARGIN_S = 30


class MockProject:
    """A project of a mock server: what a test points its client at, and what it tells the server.

    Everything goes through the control API, so the server may be in this process or anywhere.
    """

    def __init__(self, server: "MockServer", answer: Mapping[str, Any]) -> None:
        self.server = server
        self.id: str = answer["id"]
        self.secret_key: str = answer["secret_key"]
        self.publishable_key: str = answer["publishable_key"]
        self.livemode: bool = answer["livemode"]
        self.clock = MockClock(self)
        self.outbox = MockOutbox(self)
        self.journal = MockJournal(self)

    def __repr__(self) -> str:
        return f"<MockProject {self.id}>"

    @property
    def url(self) -> str:
        """The base URL for a client of the API."""
        return self.server.url

    @property
    def wallet_secret(self) -> str:
        """The secret that signs `X-Wallet-Auth`: base64 of its PKCS#8, registered with the project."""
        secret: str = self.call("POST", "/wallet-secret")["wallet_secret"]
        return secret

    @property
    def env(self) -> dict[str, str]:
        """What the official clients read from their environment."""
        return client_environment(self.url, self.secret_key, self.publishable_key, self.wallet_secret)

    def headers(self, token: str | None = None) -> dict[str, str]:
        """The credentials of a user's client: the publishable key, and a session's token when signed in."""
        key = {"x-project-key": self.publishable_key}
        bearer = self.publishable_key if token is None else token
        return {**key, "authorization": f"Bearer {bearer}"}

    def call(self, method: str, path: str = "", **given: Any) -> Any:
        """One call to this project's part of the control API; `path` is relative to it."""
        return self.server.call(method, f"/_mock/projects/{self.id}{path}", **given)

    def sign(
        self,
        account_id: str,
        *,
        hash: str | None = None,
        message: str | None = None,
        typed_data: Mapping[str, Any] | None = None,
        transaction: str | None = None,
    ) -> str:
        """A signature as the account's owner would make it, in hex. Give one of the four."""
        wanted = {"hash": hash, "message": message, "typedData": typed_data, "transaction": transaction}
        given = {name: value for name, value in wanted.items() if value is not None}
        signature: str = self.call("POST", f"/accounts/{account_id}/sign", json=given)["signature"]
        return signature

    def fate(self, **fate: Any) -> Entry:
        """Decide what will become of transactions to come, or of one."""
        answer: Entry = self.call("POST", "/fates", json=fate)
        return answer

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
        """Make an address have so many wei, or so much of a token; answers what its chain knows of it."""
        given: dict[str, Any] = {} if wei is None else {"balance_wei": str(wei)}
        if token is not None:
            held = {"contract": token, "balance": str(amount)}
            given["tokens"] = [held if token_id is None else {**held, "token_id": str(token_id)}]
        answer: Entry = self.call("PUT", f"/chains/{chain_id}/addresses/{address}", json=given)
        return answer

    def holdings(self, chain_id: int, address: str) -> Entry:
        """What a chain knows of an address: `balance_wei`, `tokens`, nonces."""
        answer: Entry = self.call("GET", f"/chains/{chain_id}/addresses/{address}")
        return answer

    def reorganize(self, chain_id: int, depth: int = 1) -> Entry:
        """Take back the latest blocks of a chain and make them anew."""
        answer: Entry = self.call("POST", f"/chains/{chain_id}/reorganize", json={"depth": depth})
        return answer

    def budget(self, fee_sponsorship_id: str, wei: int | None) -> Entry:
        """Let a fee sponsorship spend so much in all, or anything (None)."""
        body = {"budget_wei": None if wei is None else str(wei)}
        answer: Entry = self.call("PUT", f"/fee-sponsorships/{fee_sponsorship_id}/budget", json=body)
        return answer

    def decisions(self, transaction_id: str) -> Entry:
        """How policies and sponsorship decided about a transaction: `sending` and `sponsoring`."""
        answer: Entry = self.call("GET", f"/transactions/{transaction_id}/decisions")
        return answer

    def evaluate(
        self, operation: str, payload: Mapping[str, Any] | None = None, *, account_id: str | None = None
    ) -> Entry:
        """What policies say of an operation: each policy, rule and criterion, what it saw and why."""
        asked = {"operation": operation, "payload": payload, "accountId": account_id}
        given = {name: value for name, value in asked.items() if value is not None}
        answer: Entry = self.call("POST", "/policies/evaluate", json=given)
        return answer

    def pass_mfa(self, session: str) -> Entry:
        """Let a session, by its id or token, have passed multi-factor authentication (AAL2)."""
        answer: Entry = self.call("PUT", f"/sessions/{session}/aal2")
        return answer

    def load(self, scenario: str | Path) -> Entry:
        """Load a scenario: a path, or the text itself."""
        text, source = read_scenario(scenario)
        headers = {"content-type": "application/yaml"}
        answer: Entry = self.call(
            "POST", "/scenarios", content=text.encode(), headers=headers, params={"source": source}
        )
        return answer

    def change(self, **settings: Any) -> Entry:
        """Change settings; those that are not named stay. Answers all of them."""
        answer: Entry = self.call("PUT", "/settings", json=settings)
        return answer

    def snapshot(self, name: str | None = None) -> str:
        """Keep all of the project as it is; the snapshot's id."""
        snapshot: str = self.call("POST", "/snapshots", json={} if name is None else {"name": name})["id"]
        return snapshot

    def restore(self, snapshot: str) -> None:
        """Be again as a snapshot found it, any number of times."""
        self.call("POST", f"/snapshots/{snapshot}/restore")

    def reset(self) -> None:
        """Be as new: the same keys, seed and settings."""
        self.call("POST", "/reset")

    def delete(self) -> None:
        """Forget the project and its keys."""
        self.call("DELETE")


class MockClock:
    """A project's time."""

    def __init__(self, project: MockProject) -> None:
        self._project = project

    @property
    def now(self) -> str:
        """What it shows, as ISO 8601."""
        now: str = self._project.call("GET", "/clock")["now"]
        return now

    def advance(self, seconds: float | None = None, *, to: str | None = None) -> list[Entry]:
        """Move forward, by seconds or to a time; answers what fired on the way, in order."""
        step = {"to": to} if seconds is None else {"seconds": seconds}
        fired: list[Entry] = self._project.call("POST", "/clock/advance", json=step)["fired"]
        return fired

    def freeze(self, at: str | None = None) -> None:
        """Stand still, here or at a later time, until told to move."""
        self._set(mode="frozen", now=at)

    def tick(self, rate: float = 1.0) -> None:
        """Follow real time, `rate` times as fast."""
        self._set(mode="ticking", rate=rate)

    def _set(self, **wanted: object) -> None:
        given = {name: value for name, value in wanted.items() if value is not None}
        self._project.call("PUT", "/clock", json=given)


class MockOutbox:
    """The mails and texts that the real service would have sent."""

    def __init__(self, project: MockProject) -> None:
        self._project = project

    def __iter__(self) -> Iterator[Entry]:
        """Oldest first."""
        return iter(self.list())

    def list(
        self, *, to: str | None = None, channel: str | None = None, kind: str | None = None
    ) -> list[Entry]:
        """The messages that fit, oldest first."""
        asked = {"to": to, "channel": channel, "kind": kind, "limit": 1_000_000}
        found: list[Entry] = self._project.call("GET", "/outbox", params=asked)["data"]
        return found

    def latest(self, *, to: str | None = None, channel: str | None = None, kind: str | None = None) -> Entry:
        """The newest message that fits: `code`, `url`, `text` and so on. LookupError when there is none."""
        return self.wait(to=to, channel=channel, kind=kind, timeout_s=0)

    def wait(
        self,
        *,
        to: str | None = None,
        channel: str | None = None,
        kind: str | None = None,
        timeout_s: float = 5,
    ) -> Entry:
        """The newest message that fits, as soon as there is one. LookupError when none came in time."""
        asked = {"to": to, "channel": channel, "kind": kind, "latest": "true", "wait": timeout_s}
        limit_s = timeout_s + _MARGIN_S
        found: list[Entry] = self._project.call("GET", "/outbox", params=asked, timeout_s=limit_s)["data"]
        if found:
            return found[-1]
        wanted = " ".join(f"{name}={value}" for name, value in list(asked.items())[:3] if value is not None)
        there = ", ".join(f"{entry['kind']} to {entry['to']}" for entry in self) or "nothing"
        raise LookupError(f"the outbox holds no message {wanted}; it holds {there}".replace("  ", " "))

    def clear(self) -> None:
        """Forget every message; their codes and links stay good."""
        self._project.call("DELETE", "/outbox")


class MockJournal:
    """Every exchange in order, with the secrets masked."""

    def __init__(self, project: MockProject) -> None:
        self._project = project

    def __iter__(self) -> Iterator[Entry]:
        """Oldest first."""
        return iter(self.list())

    def __len__(self) -> int:
        total: int = self._project.call("GET", "/journal", params={"limit": 1})["total"]
        return total

    def list(self, **filters: Any) -> list[Entry]:
        """The exchanges that fit, oldest first: by `operation`, `status`, `path`, and so on."""
        asked = {"limit": 1_000_000, **filters}
        found: list[Entry] = self._project.call("GET", "/journal", params=asked)["data"]
        return found

    def wait(self, *, timeout_s: float = 5, **filters: Any) -> Entry:
        """The first exchange that fits, as soon as there is one. LookupError when none came in time."""
        asked = {"limit": 1, **filters, "wait": timeout_s}
        limit_s = timeout_s + _MARGIN_S
        found: list[Entry] = self._project.call("GET", "/journal", params=asked, timeout_s=limit_s)["data"]
        if not found:
            raise LookupError(f"no exchange fits {filters}")
        return found[0]

    def clear(self) -> None:
        """Forget every exchange; numbers go on counting."""
        self._project.call("DELETE", "/journal")


def read_scenario(scenario: str | Path) -> tuple[str, str | None]:
    """A scenario's text and what to call it: a path is read, what looks like YAML is the text itself."""
    if isinstance(scenario, str) and is_text(scenario):
        return scenario, None
    return Path(scenario).read_text(encoding="utf-8"), Path(scenario).name


def is_text(scenario: str) -> bool:
    """Whether this is YAML and no path."""
    return "\n" in scenario or ": " in scenario
