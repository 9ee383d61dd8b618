"""Real balancers in front of servers, as `examples/fleet` configures them."""

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples" / "fleet"
_PROGRAMS = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"

Balancer = Callable[[Sequence[str], Path], AbstractContextManager[str]]
"""A balancer in front of the servers at two URLs, with a folder of its own; its URL."""


def program(name: str) -> str:
    """The path of a program; skips the test without it."""
    found = shutil.which(name, path=_PROGRAMS)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def listen() -> socket.socket:
    """A socket that listens before its balancer runs, so that no client comes too early."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.set_inheritable(True)
    return listener


def url_of(listener: socket.socket) -> str:
    """Where a balancer is reached."""
    return f"http://127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def haproxy(
    servers: Sequence[str], folder: Path, *, balance: str | None = None, on: socket.socket | None = None
) -> Iterator[str]:
    """HAProxy, with another rule of balance if one is given, on a socket of its own unless one is given."""
    text = (EXAMPLE / "haproxy.cfg").read_text()
    if balance is not None:
        text = re.sub("balance hash .*", f"balance {balance}", text)
    file = folder / "haproxy.cfg"
    file.write_text(text)
    addresses = [url.removeprefix("http://") for url in servers]
    with on or listen() as listener:
        names = {
            "FLEET_ADDRESS": f"fd@{listener.fileno()}",
            "MOCKSERVER_A": addresses[0],
            "MOCKSERVER_B": addresses[1],
        }
        command = [program("haproxy"), "-db", "-f", str(file)]
        with _running(command, names, listener):
            yield url_of(listener)


@contextmanager
def nginx(servers: Sequence[str], folder: Path) -> Iterator[str]:
    """nginx with njs."""
    path = program("nginx")
    module = Path("/usr/lib/nginx/modules/ngx_http_js_module.so")
    if not module.exists():
        pytest.skip("njs is not installed")
    with listen() as listener:
        address = url_of(listener).removeprefix("http://")
        text = (EXAMPLE / "nginx.conf").read_text().replace("listen 127.0.0.1:4242", f"listen {address}")
        for port, url in zip((4243, 4244), servers, strict=True):
            text = text.replace(f"127.0.0.1:{port}", url.removeprefix("http://"))
        text = text.replace("modules/ngx", f"{module.parent}/ngx")
        places = "".join(f"  {kind}_temp_path {folder};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        text = text.replace("http {\n", f"http {{\n  access_log off;\n{places}")
        (folder / "nginx.conf").write_text(text)
        shutil.copy(EXAMPLE / "tag.js", folder)
        command = [path, "-p", str(folder), "-c", "nginx.conf", "-e", "stderr"]
        command += ["-g", f"daemon off; master_process off; pid {folder}/nginx.pid;"]
        # It takes the sockets that an earlier nginx left it.
        with _running(command, {"NGINX": f"{listener.fileno()};"}, listener):
            yield url_of(listener)


@contextmanager
def _running(command: Sequence[str], names: Mapping[str, str], listener: socket.socket) -> Iterator[None]:
    log = subprocess.PIPE
    with subprocess.Popen(
        command, env=os.environ | names, pass_fds=[listener.fileno()], stdout=log, stderr=log
    ) as process:
        try:
            yield
        finally:
            process.kill()
