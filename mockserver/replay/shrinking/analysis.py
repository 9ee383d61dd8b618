"""Finding out which values of a run are drawn: those that are others when other bytes are drawn."""

from collections.abc import Mapping
from http import HTTPStatus
from itertools import islice
from typing import NamedTuple

from mockserver.chain.addresses import address_of
from mockserver.domain.wallets.developer_accounts import as_account
from mockserver.errors import is_error
from mockserver.replay.shrinking.filling import fill, sign_again, signer_of
from mockserver.replay.shrinking.links import Answers, Link, LinkedRequest, LinkTable, signatures_in
from mockserver.replay.shrinking.rerun import Rerun
from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedRequest, Step
from mockserver.replay.urls import text_of
from mockserver.state.wallets import key_id
from mockserver.state.world import World

_FURTHER = 1_000_000
"""How many draws of each stream are passed over, so that all that is drawn is something else."""
_SHORTEST_ID = 16
"""Shorter texts of an answer that no other can be compared with are words, and nothing that is drawn."""
_MOST_DIGESTS = 20
"""How many hashes, the latest first, a signature is tried with."""


class Trace(NamedTuple):
    """Where an exchange belongs."""

    project: str | None
    """The id of its project."""
    before_ms: int
    """What the project's clock showed before it; of a clock that ticks, after it."""
    after_ms: int


class Analysis(NamedTuple):
    """What is known of the values of a run."""

    requests: dict[int, LinkedRequest]
    """The request of each exchange."""
    table: LinkTable
    traces: dict[int, Trace]
    """Of each exchange."""


def analyse(run: Run) -> Analysis:
    """Make a run again with other draws, and compare the answers with those of the recording."""
    return _Analyst(run).analyse()


class _Analyst:
    def __init__(self, run: Run) -> None:
        self._run = run
        self._recorded = run.answers()
        self._rerun = Rerun(run)
        self._world = self._rerun.app.pipeline.world
        # A project that a key opens draws in the very call, before `_draw_further` comes to it.
        self._world.seed += " drawn again"
        self._streams = run.streams
        self._table = LinkTable()
        self._answers = Answers()
        self._account_links: dict[str, Link] = {}
        """Where the ids of this rerun are, by id."""
        self._requests: dict[int, LinkedRequest] = {}
        self._traces: dict[int, Trace] = {}

    def analyse(self) -> Analysis:
        for step in self._run.steps:
            request = None
            if step.request is not None:
                linked = self._link(step.n, step.request)
                self._requests[step.n] = linked
                request = fill(linked, self._answers, self._world) or step.request
                recorded = self._recorded.get(step.n)
                if recorded is not None and recorded.status != HTTPStatus.UNAUTHORIZED:
                    # A project that the run itself makes has another wallet secret here.
                    request = sign_again(request, self._world)
            self._draw_further()
            before = {each.id: each.clock.now_ms for each in self._world}
            self._make(step, request)
            if step.request is not None:
                self._traces[step.n] = self._trace(before)
        return Analysis(self._requests, self._table, self._traces)

    def _trace(self, before: Mapping[str, int]) -> Trace:
        project = self._rerun.project
        if project is None:
            return Trace(None, 0, 0)
        after_ms = project.clock.now_ms
        stands = project.clock.mode == "frozen"
        return Trace(project.id, before.get(project.id, after_ms) if stands else after_ms, after_ms)

    def _make(self, step: Step, request: RecordedRequest | None) -> None:
        answer = self._rerun.make(step, request)
        recorded = self._recorded.get(step.n)
        if answer is None or recorded is None:
            return
        others = self._answers.add(step.n, answer)
        from_recording = Answers().add(step.n, recorded)
        # What a wallet outside has signed is refused with other draws: there is no other value then.
        is_refused = is_error(answer.status) and not is_error(recorded.status)
        asked = text_of(self._requests[step.n].request).lower() if is_refused else ""
        for place, value in from_recording.items():
            link, other = Link(step.n, place), others.get(place)
            self._table.add_digest(value, link)
            if other is None:
                if is_refused and len(value) >= _SHORTEST_ID and value.lower() not in asked:
                    self._table.add(value, link)
            elif other != value:
                self._table.add(value, link)
                if place.kind == "body":
                    self._account_links.setdefault(other, link)

    def _link(self, number: int, request: RecordedRequest) -> LinkedRequest:
        for signature in signatures_in(request):
            signed = self._find_signer(signature)
            if signed is not None:
                self._table.signatures[signature] = signed
        return self._table.link(request, number)

    def _find_signer(self, signature: str) -> tuple[Link | str, str] | None:
        """The account whose key the mock has, and the hash that was signed."""
        for digest in islice(reversed(self._table.digests), _MOST_DIGESTS):
            public_key = signer_of(signature, digest)
            account = None if public_key is None else self._find_account(address_of(public_key))
            if account is not None:
                return account, digest
        return None

    def _find_account(self, address: str) -> Link | str | None:
        link = self._table.find(address)
        now = address if link is None else self._answers.value(link)
        for project in self._world:
            if project.is_put_away or now is None or key_id(now, "EVM") not in project.wallets.keys:
                continue
            wallets = project.wallets
            for account in (*wallets.accounts, *map(as_account, wallets.developer_accounts)):
                if account.signing_address == now:
                    row_id: str = account.id
                    return self._account_links.get(row_id, row_id)
        return None

    def _draw_further(self) -> None:
        """Pass over draws in every stream that the run draws from, where that is not done yet."""
        world: World = self._world
        for entropy in (world.names, *(each.entropy for each in world if not each.is_put_away)):
            draws = entropy.draws()
            late = {name: draws.get(name, 0) for name in self._streams if draws.get(name, 0) < _FURTHER}
            if late:
                entropy.restore({**draws, **{name: count + _FURTHER for name, count in late.items()}})
