"""Responses of the OpenAPI documents: what an operation answers, and the errors that it declares."""

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache

from mockserver.api.common_errors import possible_errors
from mockserver.api.endpoint import Endpoint
from mockserver.api.family import Family
from mockserver.errors import ErrorRow
from mockserver.server.answering.envelopes import ENVELOPES, code_of, envelope_of
from mockserver.server.openapi.components import Schema
from mockserver.server.openapi.examples import CallExample, Examples
from mockserver.server.openapi.schemas import Schemas


class Responses:
    """Makes the responses of a document's operations, and collects what they refer to."""

    def __init__(self, schemas: Schemas, examples: Examples) -> None:
        self._schemas = schemas
        self._examples = examples
        self.examples: Schema = {}
        """The examples of errors that the responses refer to."""
        self.shared: Schema = {}
        """Responses with one error only, by its name: many operations have the same."""
        self.headers: set[str] = set()
        """The names of the headers that they refer to."""
        # The calls of a family have most of their errors in common.
        self._shared = cache(self._describe)

    def of(self, endpoint: Endpoint, example: CallExample | None) -> Schema:
        """The responses of an endpoint by status; a call that was made is the example of its answer."""
        responses: Schema = {str(endpoint.status): self._answer(endpoint, example)}
        if endpoint.redirects:
            responses["302"] = self._redirect(endpoint)
        by_status: dict[int, dict[ErrorRow, None]] = defaultdict(dict)
        for row in possible_errors(endpoint):
            # The errors of JSON-RPC are answers.
            if row.rpc_code is not None:
                continue
            by_status[row.status][row] = None
        return responses | {
            str(status): self._shared(endpoint.family, status, tuple(rows))
            for status, rows in sorted(by_status.items())
        }

    def _answer(self, endpoint: Endpoint, example: CallExample | None) -> Schema:
        if endpoint.status == 302:
            return self._redirect(endpoint)
        described: Schema = {"description": "Done.", "headers": self._headers(endpoint.family)}
        content: Schema = {}
        if endpoint.answer is not None:
            shown = {} if example is None else {"example": example.response}
            content["application/json"] = {"schema": self._schemas.answer(endpoint.answer), **shown}
        content |= {kind: {"schema": {"type": "string"}} for kind in endpoint.writes}
        return {**described, "content": content} if content else described

    def _redirect(self, endpoint: Endpoint) -> Schema:
        return {
            "description": "A redirect; what went wrong is in the `error` of its query.",
            "headers": self._headers(endpoint.family, Location="location"),
        }

    def _describe(self, family: Family, status: int, rows: tuple[ErrorRow, ...]) -> Schema:
        described = self._error(family, status, rows)
        if len(rows) > 1:
            return described
        (row,) = rows
        name = _name(family, row)
        # Some rows have the same code and another message.
        if self.shared.setdefault(name, described) != described:
            return described
        return {"$ref": f"#/components/responses/{name}"}

    def _error(self, family: Family, status: int, rows: Iterable[ErrorRow]) -> Schema:
        content: Schema = {}
        lines = []
        for row in rows:
            envelope = envelope_of(family, row)
            code = code_of(envelope, row)
            media_type = "application/problem+json" if envelope.endswith("Problem") else "application/json"
            described = content.setdefault(media_type, {"schema": self._schemas.answer(ENVELOPES[envelope])})
            name = _name(family, row)
            example = self._examples.errors.get(name)
            if example is not None:
                self.examples[name] = {"value": example}
                reference = {"$ref": f"#/components/examples/{name}"}
                described.setdefault("examples", {})[code] = reference
            lines.append(f"- `{code}`: {_message(row, example)}")
        more = {"RetryAfter": "retry-after"} if status == 429 else {}
        return {
            "description": "\n".join(dict.fromkeys(lines)),
            "headers": self._headers(family, **more),
            # Generators of clients take the first.
            "content": dict(sorted(content.items())),
        }

    def _headers(self, family: Family, **more: str) -> Schema:
        """The headers of an answer: those that every answer may have, and more."""
        names = {"RequestId": "x-request-id", **more}
        if family.public:
            names |= {"Rule": "x-mockserver-rule", "Hint": "x-mockserver-hint"}
        self.headers.update(names)
        return {header: {"$ref": f"#/components/headers/{name}"} for name, header in names.items()}


def _name(family: Family, row: ErrorRow) -> str:
    """The name of an error in the envelope of a family."""
    return f"{envelope_of(family, row)}.{row.status}.{row.code}"


def _message(row: ErrorRow, example: Schema | None) -> str:
    """The message of an error; where the catalogue leaves all of it to the call, one that was answered."""
    if not re.fullmatch(r"\{\w+\}", row.message):
        return row.message
    if example is None:
        return "a sentence about what was found."
    members = example.get("error", example)
    return f"such as *{members.get('message') or members['detail']}*"
