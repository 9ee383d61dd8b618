"""A recorded test for the pytest plugin."""

from collections.abc import Mapping, Sequence
from textwrap import indent
from typing import Any

from mockserver.replay.export.runners import Request, Runner
from mockserver.replay.export.source import Code, Joined


class Pytest(Runner):
    """pytest, with httpx."""

    taken = frozenset({"httpx", "pytest", "mock_api", "parse_qs", "quote", "urlsplit"})
    advance = "mock_project.clock.advance({0})"
    assert_status = "assert {0}.status_code == {1}"
    assert_member = "assert {1} in {0}"
    of_project = "mock_project.{0}"
    of_header = "{0}.headers[{1}]"
    of_cookie = "{0}.cookies{1}"
    of_query = "parse_qs(urlsplit({0}).query)[{1}][0]"
    percent_encoded = 'quote({0}, safe="")'
    lower_case = "{0}.lower()"
    signature = "mock_project.sign({0}, hash={1})"

    def literal(self, value: Any) -> str:
        """In double quotes if that needs no escapes."""
        literal = repr(value)
        return f'"{literal[1:-1]}"' if isinstance(value, str) and '"' not in value else literal

    def file(self, options: Mapping[str, Any], body: Sequence[str], *, sends_key: bool) -> str:
        """See `Runner`."""
        unkeyed = () if sends_key else ('del mock_api.headers["authorization"]',)
        test = [
            "@" + self.write_call("pytest.mark.mockserver", [*options.items()]),
            "def test_recorded_run(mock_project, mock_api):",
            *(indent(lines, self.step) for lines in (*unkeyed, *body)),
        ]
        text = "\n".join(test)
        imports = [f"import {name}" for name in ("httpx", "pytest") if f"{name}." in text]
        from_urllib = [name for name in ("parse_qs", "quote", "urlsplit") if f"{name}(" in text]
        if from_urllib:
            imports.insert(0, f"from urllib.parse import {', '.join(from_urllib)}\n")
        return "\n".join(['"""A run that was recorded, as a test."""\n', *imports, "", "", text]) + "\n"

    def load(self, scenario: str) -> str:
        """See `Runner`."""
        return self.write_call("mock_project.load", [("", scenario)])

    def request(self, variable: str, request: Request) -> str:
        """See `Runner`."""
        before = f"{variable} = "
        return before + self._send(request, len(before))

    def request_in_vain(self, request: Request, *, ends: bool) -> str:
        """See `Runner`. httpx itself does not wait for ever."""
        return f"with pytest.raises(httpx.TransportError):\n{indent(self._send(request), self.step)}"

    def _send(self, request: Request, used: int = 0) -> str:
        # Of texts httpx takes only those in ASCII; each character of a recorded header is a byte.
        sent = {
            name: value if isinstance(value, Joined) or value.isascii() else value.encode("latin-1")
            for name, value in request.headers.items()
        }
        headers = [("headers", sent)] if sent else []
        auth = [("auth", Code("mock_project.wallet_auth"))] if request.is_signed else []
        arguments = [("", request.method), ("", request.target), *headers, *auth, *request.body.items()]
        return self.write_call("mock_api.request", arguments, used=used)

    def assert_equal(self, expression: str, value: Any) -> str:
        """See `Runner`."""
        before = f"assert {expression} == "
        return before + self.write(value, used=len(before))

    def can_send(self, document: Any) -> bool:
        """For httpx a body that is None is none."""
        return document is not None
