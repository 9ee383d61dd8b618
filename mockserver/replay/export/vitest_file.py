"""A recorded test for vitest, with the package for Node."""

import json
import re
from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import Any

from mockserver.replay.export.history import OTHERS, CannotExport
from mockserver.replay.export.runners import OTHER, Request, Runner
from mockserver.replay.export.source import Code

_BEGIN = """\
// A run that was recorded, as a test.

import { expect, test as base } from "vitest";
import { mockTest } from "wallet-api-double/vitest";

"""
_SEND = """\
/** Sends a request; its answer when it is whole. */
async function send(project, method, path, { headers, json, content, walletAuth, timeout } = {}) {
  const body = json === undefined ? content : JSON.stringify(json);
  const answer = await fetch(project.url + path, {
    method,
    headers: {
      %(key)s...(json !== undefined && { "content-type": "application/json" }),
      ...(walletAuth && { "x-wallet-auth": await project.walletAuth(method, path, body) }),
      ...headers,
    },
    // Of a text fetch would send the type, too.
    body: body === undefined ? undefined : Buffer.from(body),
    redirect: "manual",
    signal: timeout && AbortSignal.timeout(timeout),
  });
  const text = await answer.text();
  const cookies = answer.headers.getSetCookie().map((line) => /^(.*?)=([^;]*)/.exec(line).slice(1));
  const { status, headers: received } = answer;
  return { status, headers: received, cookies: Object.fromEntries(cookies), json: () => JSON.parse(text) };
}
"""
_KEY = "authorization: `Bearer ${project.secretKey}`,\n      "
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")
_PATIENCE_MS = 1000
_TIMED_OUT = '"aborted due to timeout"'
_LARGEST = 2**53 - 1
_BODILESS = ("GET", "HEAD")


class Vitest(Runner):
    """vitest, with fetch."""

    step = "  "
    braces = ("{ ", " }")
    taken = frozenset({"base", "expect", "mock_test", "send", "test"})
    advance = "await mockProject.clock.advance({0});"
    assert_status = "expect({0}.status).toBe({1});"
    assert_member = "expect({0}).toHaveProperty({1});"
    of_project = "mockProject.{0}"
    of_header = "{0}.headers.get({1})"
    of_cookie = "{0}.cookies{1}"
    of_query = "new URL({0}, mockProject.url).searchParams.get({1})"
    percent_encoded = "encodeURIComponent({0})"
    lower_case = "{0}.toLowerCase()"
    signature = "await mockProject.sign({0}, {{ hash: {1} }})"

    def literal(self, value: Any) -> str:
        """A text with escapes only if it has what cannot be seen."""
        if isinstance(value, bytes):
            return f'Buffer.from("{value.hex()}", "hex")'
        return json.dumps(value, ensure_ascii=not (isinstance(value, str) and value.isprintable()))

    def member(self, name: str) -> str:
        """In quotes only where they are needed."""
        return name if _NAME.fullmatch(name) else self.literal(name)

    def file(self, options: Mapping[str, Any], body: Sequence[str], *, sends_key: bool) -> str:
        """See `Runner`."""
        given = {self.variable(name): value for name, value in options.items()}
        own_test = self.write_call("const test = mockTest", [("", Code("base")), ("", given)])
        others = any(line.startswith(f"{OTHER} = ") for line in body)
        lines = [f"let {OTHER};", *body] if others else body
        return "\n".join(
            [
                f"{_BEGIN}{own_test};\n",
                _SEND % {"key": _KEY if sends_key else ""},
                'test("recorded run", async ({ mockProject }) => {',
                *(indent(line, self.step) for line in lines),
                "});\n",
            ]
        )

    def load(self, scenario: str) -> str:
        """See `Runner`."""
        return self.write_call("await mockProject.load", [("", scenario)]) + ";"

    def request(self, variable: str, request: Request) -> str:
        """See `Runner`."""
        before = f"{'' if variable == OTHER else 'const '}{variable} = await "
        return f"{before}{self._send(request, len(before) + 1)};"

    def request_in_vain(self, request: Request, *, ends: bool) -> str:
        """See `Runner`. fetch itself waits for minutes."""
        before, after = "await expect(", f").rejects.toThrow({'TypeError' if ends else _TIMED_OUT});"
        more = {} if ends else {"timeout": _PATIENCE_MS}
        return before + self._send(request, len(before) + len(after), more) + after

    def _send(self, request: Request, used: int, more: Mapping[str, Any] = {}) -> str:
        if request.body and request.method in _BODILESS:
            reason = f"exchange {request.number} is a {request.method} with a body, which fetch cannot send"
            raise CannotExport(f"{reason}; --to pytest can; {OTHERS}")
        options: dict[str, Any] = {"headers": request.headers} if request.headers else {}
        if request.is_signed:
            options["walletAuth"] = True
        options |= {**request.body, **more}
        arguments: list[tuple[str, Any]] = [("", Code("mockProject")), ("", request.method)]
        arguments += [("", request.target), *([("", options)] if options else [])]
        return self.write_call("send", arguments, used=used)

    def assert_equal(self, expression: str, value: Any) -> str:
        """See `Runner`."""
        before, after = f"expect({expression}).toEqual(", ");"
        return before + self.write(value, used=len(before) + len(after)) + after

    def variable(self, name: str) -> str:
        """In camel case."""
        first, *others = name.split("_")
        return first + "".join(map(str.capitalize, others))

    def can_send(self, document: Any) -> bool:
        """Without numbers that JavaScript writes otherwise, and the member that is an object's prototype."""
        if isinstance(document, dict):
            return "__proto__" not in document and all(map(self.can_send, document.values()))
        if isinstance(document, list):
            return all(map(self.can_send, document))
        if isinstance(document, float):
            return not document.is_integer()
        return not isinstance(document, int) or abs(document) <= _LARGEST

    def subscript(self, name: str | int) -> str:
        """In brackets only where they are needed."""
        is_name = isinstance(name, str) and _NAME.fullmatch(name)
        return f".{name}" if is_name else super().subscript(name)
