"""Plays a recording against the mock from an empty project, and compares the answers.

Values that differ from run to run, such as ids and tokens, are found where an answer of the service first had
them, and later requests are made with what the mock had there: these are the links that shrinking has.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

import orjson

from mockserver.api.endpoint import Endpoint
from mockserver.replay.shrinking.filling import fill, sign_again, with_body
from mockserver.replay.shrinking.links import Answers, Link, LinkTable, signatures_in
from mockserver.replay.shrinking.places import body_of, parts_of, texts_of, values_of
from mockserver.replay.shrinking.rerun import recorded_answer
from mockserver.replay.shrinking.run import Run
from mockserver.replay.steps import RecordedAnswer, RecordedRequest
from mockserver.server.answering.masking import endpoint_at
from mockserver.server.answering.pipeline import WaitingCall
from mockserver.server.assembly import ROUTES, assemble
from mockserver.server.recording.placeholders import UNREPEATABLE
from mockserver.server.recording.stepper import ReplayTime
from mockserver.state.outbox import Message
from mockserver.state.project import Project
from mockserver.state.world import ProjectDefaults, World
from mockserver.upstream.described import enums_of
from mockserver.upstream.forms import form_of, is_linkable
from mockserver.upstream.shapes import Drift, Known, code_of, compare_answers

_NAME = "compared"
_KEY = re.compile(r"\b([sp]k_(?:test|live)_)[\w-]+")
_OF_CLIENTS = re.compile("wallet_auth_invalid|wallet_secret_not_registered|invalid_signature")
"""The errors of signatures, which a recording has only for what the service drew."""
_EVM_ADDRESS = re.compile(r"0x[0-9a-fA-F]{40}\b")
_TOKENS = ("drawn text", "JWT", "UUID")
_OUT_OF_BAND = frozenset({"otp", "code", "token"})
"""Members and parameters with what a user gets by mail or by text message."""
_SEED = "compare"
_LONGEST_WAIT_MS = 60_000


class Compared(NamedTuple):
    """A request of the recording, and what came of it."""

    number: int
    operation: str
    """Its id, or method and path of a request that no operation takes."""
    title: str
    """Method and path."""
    drifts: tuple[Drift, ...] = ()
    skipped: str | None = None
    """Why the answers could not be compared."""


class Comparison:
    """A mock without any rows, and the requests of a recording that are still to be made."""

    def __init__(self, run: Run) -> None:
        """`run` is of the service, or of the mock itself."""
        self._run = run
        self._is_upstream = run.source == "upstream"
        self._time = ReplayTime()
        times = [step.real_ms for step in run.steps if step.real_ms is not None]
        defaults = ProjectDefaults(now_ms=None, mode="ticking") if times else ProjectDefaults()
        self._time.now_ms = times[0] if times else 0
        self._world = World(_SEED, real_ms=self._time.real_ms, defaults=defaults)
        self._pipeline = assemble(self._world).pipeline
        if self._is_upstream:
            self._world.create(name=_NAME)
            self._world.create(name=_NAME, livemode=True)
        self._table, self._answers = LinkTable(), Answers()
        self._links: dict[str, list[Link]] = {}
        """Where the answers of the service had a value, by the value."""
        self._sent: set[str] = set()
        self._codes: dict[str, str] = {}
        """The codes and tokens that the mock mailed, by those of the service that it accepted."""
        self._lost: dict[str, int] = {}
        """What was changed by a request that the mock could not be asked, and its number."""
        self.number = 0
        """The exchange that is compared now."""

    def play(self) -> Iterator[Compared]:
        """Make the requests in order, and compare the answers: of equal reads in a row the last."""
        asked, recorded = self._run.requests(), self._run.answers()
        times = {step.n: step.real_ms for step in self._run.steps if step.request is not None}
        for number, request in asked.items():
            self.number = number
            self._time.now_ms = max(self._time.now_ms, times[number] or 0)
            following = asked.get(number + 1)
            is_polled = request.method == "GET" and following == request
            found = self._compare(number, request, recorded.get(number))
            if not is_polled and not request.path.startswith("/_mock/"):
                yield found

    def _compare(self, number: int, request: RecordedRequest, real: RecordedAnswer | None) -> Compared:
        endpoint, _ = endpoint_at(ROUTES, request.method, request.path)
        title = f"{request.method} {request.path}"
        told = partial(Compared, number, endpoint.operation if endpoint else title, title)
        made, reason = self._prepare(number, request, real)
        if made is None:
            return told(skipped=reason)
        answer = self._ask(made)
        if real is None or real.fault is not None:
            return told(skipped="the recording has no answer")
        drifts = self._find_drifts(endpoint, real, answer)
        self._note(number, real, answer)
        if _OF_CLIENTS.search(code_of(answer)) and not _OF_CLIENTS.search(code_of(real)):
            reason = "it is signed with a key that only the client has"
        if reason is not None and code_of(real) != code_of(answer):
            self._lost.update(dict.fromkeys(self._names_in(request, real), number))
            return told(skipped=reason)
        if drifts and (lost := self._names_in(request, real) & self._lost.keys()):
            return told(
                skipped=f"it shows what exchange {self._lost[min(lost)]} changed, which could not be repeated"
            )
        return told(drifts)

    def _find_drifts(
        self, endpoint: Endpoint | None, real: RecordedAnswer, answer: RecordedAnswer
    ) -> tuple[Drift, ...]:
        if endpoint is None:
            is_there = real.status < HTTPStatus.BAD_REQUEST
            return (Drift("operation", "", "the mock has no such operation"),) if is_there else ()
        known = Known(self._expect, self._sent, partial(enums_of, endpoint.operation))
        return tuple(compare_answers(real, answer, known))

    def _names_in(self, request: RecordedRequest, real: RecordedAnswer) -> set[str]:
        """The ids and addresses of what a request is about."""
        sent = [*texts_of("", body_of(request))]
        values = {*request.path.split("/"), *values_of(real).values(), *(text for _, text in sent)}
        named = {text for pointer, text in sent if pointer.endswith("Id") and form_of(text) is None}
        return named | {value for value in values if is_linkable(value) and value in self._links}

    # --- requests --------------------------------------------------------------------------------

    def _prepare(
        self, number: int, request: RecordedRequest, real: RecordedAnswer | None
    ) -> tuple[RecordedRequest | None, str | None]:
        """The request as the mock is to get it, and what in it only the service and its client can know."""
        body = body_of(request)
        self._sent.update(str(each) for _, each in parts_of("", body) if isinstance(each, (str, int, float)))
        self._sent.update(value for _, value in parse_qsl(request.query))
        linked = self._table.link(self._with_keys(request), number)
        made = fill(linked, self._answers, self._world)
        if made is None:
            return None, "it needs a value that the mock did not answer"
        has_signature = bool(signatures_in(request)) and linked.body != (request.body,)
        if has_signature:
            self._trust_wallets(made)
        made = self._with_codes(made, real is not None and real.status < HTTPStatus.BAD_REQUEST)
        if real is None or real.status != HTTPStatus.UNAUTHORIZED:
            made = sign_again(made, self._world)
        if has_signature:
            return made, "it has a signature of a key that only the client has, of what the service drew"
        if isinstance(request.body, str) and UNREPEATABLE in request.body:
            return made, "it has a key or a token of a third party, which is masked"
        return made, None

    def _with_keys(self, request: RecordedRequest) -> RecordedRequest:
        """A request with the keys of the mock's project in the place of those of the service's."""
        if not self._is_upstream:
            return request
        headers = tuple((name, _KEY.sub(rf"\g<1>{_NAME}", value)) for name, value in request.headers)
        return request._replace(headers=headers)

    def _with_codes(self, request: RecordedRequest, is_accepted: bool) -> RecordedRequest:
        """A request with the codes and links that the mock has mailed, where it has those of the service."""
        body = body_of(request)
        sent = body if isinstance(body, dict) else {}
        query = parse_qsl(request.query, keep_blank_values=True)
        messages = self._messages(request, {str(each) for each in (*sent.values(), *dict(query).values())})
        find = partial(self._find_code, messages if is_accepted else None)
        methods, values = ROUTES.find(request.path)
        if request.method in methods:
            for name, value in zip(methods[request.method].parameters, values, strict=True):
                request = request._replace(path=request.path.replace(value, find(name, value)))
        made = [(name, find(name, value)) for name, value in query]
        if made != query:
            request = request._replace(query=urlencode(made))
        given = {name: find(name, value) for name, value in sent.items()}
        return request if given == sent else with_body(request, orjson.dumps(given).decode())

    def _find_code(self, messages: Sequence[Message] | None, name: str, value: Any) -> Any:
        """What the mock has for a value that is a code: at first the latest like it of those in messages."""
        is_code = isinstance(value, str) and (name == "token" or value.isdecimal())
        if name not in _OUT_OF_BAND or not is_code:
            return value
        if messages is not None and value not in self._codes:
            codes = [code for message in messages for code in _codes_of(message)]
            alike = (code for code in codes if code.isdecimal() == value.isdecimal())
            self._codes[value] = value if value in codes else next(alike, value)
        return self._codes.get(value, value)

    def _messages(self, request: RecordedRequest, sent: Collection[str]) -> list[Message]:
        """What was mailed in a request's project, the newest first: to an address that it names, or all."""
        project = self._project_of(request)
        projects = [*self._world] if project is None else [project]
        held = [row for each in projects if not each.is_put_away for row in each.outbox]
        found = held[::-1]
        return [row for row in found if row.to in sent] or found

    def _trust_wallets(self, request: RecordedRequest) -> None:
        """Take any signature of the addresses in a request: only the client has their keys."""
        project = self._project_of(request)
        if project is not None:
            wallets = (*project.settings.contract_wallets, *_EVM_ADDRESS.findall(request.body))
            project.change_settings(replace(project.settings, contract_wallets=wallets))
            project.commit()

    def _project_of(self, request: RecordedRequest) -> Project | None:
        texts = (value.removeprefix("Bearer ") for _, value in request.headers)
        return next((self._world.key(text).project for text in texts if self._world.is_taken(text)), None)

    def _ask(self, request: RecordedRequest) -> RecordedAnswer:
        """The mock's answer. What it waits for on a ticking clock comes as the time is moved to it."""
        outcome = self._pipeline.answer(request.to_request())
        while isinstance(outcome, WaitingCall):
            until, clock = outcome.until, outcome.project.clock
            due_ms = 0 if until.due_ms is None else max(0, until.due_ms - clock.now_ms)
            step_ms = min(_LONGEST_WAIT_MS, max(due_ms, until.real_ms or 0))
            self._time.now_ms += step_ms
            outcome = self._pipeline.resume(outcome)
        return recorded_answer(outcome)

    # --- values ------------------------------------------------------------------------------------

    def _note(self, number: int, real: RecordedAnswer, mock: RecordedAnswer) -> None:
        """Note which values of the service stand in the place of which of the mock."""
        values = self._answers.add(number, mock)
        for place, value in values_of(real).items():
            # What is the same on both sides is not drawn, as in examples of documentation.
            is_other = values.get(place, value) != value
            if is_other and is_linkable(value) and value not in self._sent:
                link = Link(number, place)
                self._table.add(value, link)
                self._links.setdefault(value, []).append(link)

    def _expect(self, value: str) -> Collection[str]:
        links = self._links.get(value, ())
        return [found for link in links if (found := self._answers.value(link)) is not None]


def _codes_of(message: Message) -> list[str]:
    """The code of a message, and what the query of its link has."""
    url = urlsplit(message.url or "")
    values = [*url.path.split("/"), *(value for _, value in parse_qsl(url.query))]
    return [*([message.code] if message.code else []), *(each for each in values if form_of(each) in _TOKENS)]
