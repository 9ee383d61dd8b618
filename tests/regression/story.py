"""A story: calls that are made in order, and all that was heard."""

import json
import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from tests.regression.document import Document, Operation
from tests.regression.exchanges import Answer, Exchange, Request

ID = re.compile(r"[a-z]{3}_[0-9A-Za-z-]{8,64}")
# A wallet's token is for one request, so it is not among them.
CREDENTIALS = frozenset({"authorization", "x-project-key", "x-player-token", "x-auth-provider", "cookie"})
JSON = {"content-type": "application/json"}
YAML = {"content-type": "application/yaml"}
Send = Callable[[Request], Answer]


class Story:
    """Sends requests and keeps every exchange."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self.exchanges: list[Exchange] = []
        self.chance = random.Random("regression")
        self.projects: list[Project] = []
        self._numbers: dict[str, int] = defaultdict(int)
        self.document = Document({"paths": {}})
        self.document = Document(self.raw("GET", "/_mock/openapi.json").json)
        # The document is not one of the answers that have to stay.
        self.exchanges.clear()

    def raw(self, method: str, path: str, body: str = "", headers: dict[str, str] | None = None) -> Answer:
        """One call, exactly as given."""
        operation = self.document.operation_of(method, path)
        request = Request(method, path, headers or {}, body)
        answer = self._send(request)
        self.exchanges.append(Exchange(operation.id if operation else "", request, answer))
        return answer

    def number(self, name: str) -> int:
        """The next number of a sequence: 1, 2, ..."""
        self._numbers[name] += 1
        return self._numbers[name]

    def project(self, name: str, **given: Any) -> "Project":
        """A new project."""
        answer = self.raw("POST", "/_mock/projects", json.dumps({"name": name, **given}), JSON)
        project = Project(self, answer.json)
        self.projects.append(project)
        return project


class Project:
    """One project of a story: its keys, and the ids and bodies that were seen in it."""

    def __init__(self, story: Story, row: dict[str, Any]) -> None:
        self.story = story
        self.id: str = row["id"]
        self.secret = {"authorization": f"Bearer {row['secret_key']}"}
        self.publishable_key: str = row["publishable_key"]
        self.publishable = {"authorization": f"Bearer {self.publishable_key}"}
        self.visitor = {"x-project-key": self.publishable_key}
        self.ids: dict[str, list[str]] = defaultdict(list)
        self.path_values: dict[str, list[str]] = defaultdict(list)
        self.bodies: dict[str, list[Any]] = defaultdict(list)
        self.users: list[dict[str, str]] = []
        self.credentials: dict[str, list[dict[str, str]]] = defaultdict(list)
        # Signs a method, a path and a body with the project's wallet secret, once a journey has it.
        self.wallet_auth: Callable[[str, str, Any], str] | None = None

    def call(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, **more: str
    ) -> Any:
        """One call with the secret key, unless headers are given; the answer's JSON."""
        return self.answer(method, path, body, headers, **more).json

    def answer(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, **more: str
    ) -> Answer:
        """One call with the secret key, unless headers are given; the whole answer."""
        sent = dict(self.secret if headers is None else headers)
        sent |= {name.replace("_", "-"): value for name, value in more.items()}
        content = ""
        if body is not None:
            sent.setdefault("content-type", "application/json")
            content = json.dumps(body)
        answer = self.story.raw(method, path, content, sent)
        operation = self.story.document.operation_of(method, path)
        if operation is not None:
            self._learn(operation, path, body, answer)
            if answer.succeeded:
                self.credentials[operation.id].append(
                    {name: value for name, value in sent.items() if name in CREDENTIALS}
                )
        return answer

    def can(self, operation: Operation) -> bool:
        """Whether an operation has something to work on: rows of its path, or a body that it took."""
        parameters = operation.pattern.groupindex
        if parameters:
            return all(self.path_values[collection_of(operation, name)] for name in parameters)
        return operation.body is None or bool(self.bodies[operation.id])

    def _learn(self, operation: Operation, path: str, body: Any, answer: Answer) -> None:
        for found in sorted(set(ids_in(answer.json))):
            kept = self.ids[found[:4]]
            if found not in kept:
                kept.append(found)
        if not answer.succeeded:
            return
        match = operation.pattern.fullmatch(path.partition("?")[0])
        for name, value in (match.groupdict() if match else {}).items():
            kept = self.path_values[collection_of(operation, name)]
            if value not in kept:
                kept.append(value)
        if isinstance(body, dict):
            self.bodies[operation.id].append(body)

    def control(self, method: str, path: str, body: Any = None) -> Any:
        """One call of the control API, below the project's path; the answer's JSON."""
        content = "" if body is None else body if isinstance(body, str) else json.dumps(body)
        headers = YAML if isinstance(body, str) else JSON
        return self.story.raw(method, f"/_mock/projects/{self.id}{path}", content, headers).json

    def advance(self, seconds: float) -> None:
        """Move the project's clock."""
        self.control("POST", "/clock/advance", {"seconds": seconds})

    def change(self, **settings: Any) -> None:
        """Change settings of the project."""
        self.control("PUT", "/settings", settings)

    def fate(self, outcome: str, **more: Any) -> None:
        """Decide what becomes of the next transaction."""
        self.control("POST", "/fates", {"outcome": outcome, **more})

    def mail(self, to: str) -> dict[str, Any]:
        """The newest message to an address or a phone number."""
        quoted = to.replace("+", "%2B").replace("@", "%40")
        found: list[dict[str, Any]] = self.control("GET", f"/outbox?to={quoted}&order=desc&limit=1")["data"]
        return found[0] if found else {}


def collection_of(operation: Operation, name: str) -> str:
    """What a parameter of a path is one of: the path before it."""
    return operation.path.partition(f"{{{name}}}")[0]


def ids_in(value: Any) -> Iterator[str]:
    """Every id in an answer."""
    if isinstance(value, dict):
        for member in value.values():
            yield from ids_in(member)
    elif isinstance(value, list):
        for member in value:
            yield from ids_in(member)
    elif isinstance(value, str) and ID.fullmatch(value):
        yield value
