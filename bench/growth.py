"""What memory does in a long run of mixed requests, and what an idle project takes of it."""

import argparse
import gc
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from resource import getpagesize
from time import perf_counter
from typing import Any, NamedTuple

import orjson

from mockserver.api.call import Request
from mockserver.domain.wallets.accounts import create_eoa
from mockserver.domain.wallets.wallets import create_wallet
from mockserver.server.answering.pipeline import WaitingCall
from mockserver.server.assembly import assemble
from mockserver.server.edge.app import App
from mockserver.state.settings import Settings
from mockserver.state.world import ProjectDefaults, World

_USERS = 10
_AUTH = "/iam/v2/auth"


class Sample(NamedTuple):
    """Memory after a number of requests, and the seconds that the latest of them took."""

    requests: int
    mib: float
    spent_s: float


def measure(requests: int, projects: int, samples: int, kept: int | None) -> Iterator[Sample]:
    """Reads, sign-ins by code, contracts that are created and deleted, and transactions, mixed.

    `kept` is the value of every setting that says how many rows of a kind are kept.
    """
    names = ("settled_kept", "deleted_kept", "messages_kept", "sessions_per_user", "pending_kept")
    settings = Settings(**({} if kept is None else dict.fromkeys(names, kept)))  # type: ignore[arg-type]
    app = assemble(World(defaults=ProjectDefaults(settings=settings)))
    users = [_use(app, f"growth{number}") for number in range(projects)]
    yield Sample(0, _memory_mib(), 0.0)
    began, step = perf_counter(), requests // samples
    for number in range(1, requests + 1):
        next(users[number % projects])
        if number % step == 0:
            spent_s = perf_counter() - began
            gc.collect()
            yield Sample(number, _memory_mib(), spent_s)
            began = perf_counter()


def idle_projects(number: int, open_projects: int) -> float:
    """The KiB that each of many projects takes in which one contract was created and read."""
    app = assemble(World(open_projects=open_projects))
    gc.collect()
    before_mib = _memory_mib()
    for each in range(number):
        client = _Client(app, f"idle{each}")
        client.post("/v1/contracts", {"name": "T", "chainId": 80002, "address": "0x" + "ab" * 20})
        client.get("/v1/contracts")
    gc.collect()
    return (_memory_mib() - before_mib) * 1024 / number


class _Client:
    def __init__(self, app: App, name: str) -> None:
        self._app = app
        self._headers = {"authorization": f"Bearer sk_test_{name}", "content-type": "application/json"}

    def get(self, path: str) -> Any:
        return self._send("GET", path, b"")

    def post(self, path: str, body: object) -> Any:
        return self._send("POST", path, orjson.dumps(body))

    def delete(self, path: str) -> Any:
        return self._send("DELETE", path, b"")

    def _send(self, method: str, path: str, body: bytes) -> Any:
        answer = self._app.pipeline.answer(Request(method, path, "", dict(self._headers), body))
        assert not isinstance(answer, WaitingCall)
        assert answer.status < 300, answer.body
        return orjson.loads(answer.body)


def _use(app: App, name: str) -> Iterator[None]:
    """Make one request after the other: of ten, four read, two sign in, two are about contracts, two send."""
    client = _Client(app, name)
    project = app.pipeline.world.key(f"sk_test_{name}").project
    account = create_eoa(project, create_wallet(project), "EVM", held_by="Developer")
    project.commit()
    for turn in count():
        contract = client.post(
            "/v1/contracts", {"name": "T", "chainId": 80002, "address": f"0x{turn + 1:040x}"}
        )
        yield
        client.get(f"/v1/contracts/{contract['id']}")
        yield
        client.delete(f"/v1/contracts/{contract['id']}")
        yield
        email = f"user{turn % _USERS}@example.com"
        client.post(f"{_AUTH}/email-otp/send-verification-otp", {"email": email, "type": "sign-in"})
        yield
        mail = project.outbox.last("kind", "sign-in")
        assert mail is not None
        client.post(f"{_AUTH}/sign-in/email-otp", {"email": email, "otp": mail.code})
        yield
        for _ in range(2):
            call = {"to": "0x" + "ab" * 20, "value": "1"}
            sent = {"chainId": 80002, "accountId": account.id, "calls": [call]}
            transaction = client.post("/v2/transactions", sent)
            yield
            client.get(f"/v2/transactions/{transaction['id']}")
            yield
        client.get("/v2/accounts")
        yield


def _memory_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * getpagesize() / 2**20


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=200_000)
    parser.add_argument("--projects", type=int, default=10)
    parser.add_argument("--samples", type=int, default=10)
    parser.add_argument("--kept", type=int, help="every setting of how many rows are kept")
    parser.add_argument("--idle", type=int, default=5_000, help="idle projects, for their size")
    options = parser.parse_args()
    if options.idle:
        # The smaller first: memory that was freed would be taken again unnoticed.
        away_kib = idle_projects(options.idle, 16)
        open_kib = idle_projects(options.idle, options.idle)
        print(f"an idle project takes {open_kib:.1f} KiB open, {away_kib:.1f} KiB put away", flush=True)
    for sample in measure(options.requests, options.projects, options.samples, options.kept):
        print(f"{sample.requests:>10} requests {sample.mib:8.0f} MiB {sample.spent_s:6.1f} s", flush=True)


if __name__ == "__main__":
    main()
