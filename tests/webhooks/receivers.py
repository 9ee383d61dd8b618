"""Receivers of webhooks on loopback."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ENDLESS = b"x" * 65_536


@dataclass
class Receiver:
    """What a receiver got, and what it answers."""

    url: str = ""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    is_endless: bool = False
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    may_answer: threading.Event = field(default_factory=threading.Event)


@contextmanager
def receiving(
    status: int = 200, *, is_endless: bool = False, is_slow: bool = False, **headers: str
) -> Iterator[Receiver]:
    """A receiver that listens; a slow one answers nothing until it may."""
    receiver = Receiver("", status, headers, is_endless)
    if not is_slow:
        receiver.may_answer.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            receiver.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            assert receiver.may_answer.wait(30)
            self.send_response(receiver.status)
            for name, value in receiver.headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            try:
                while receiver.is_endless:
                    self.wfile.write(ENDLESS)
            except OSError:
                return

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        receiver.url = f"http://127.0.0.1:{listening.server_port}/hooks"
        try:
            yield receiver
        finally:
            listening.shutdown()
            thread.join()
