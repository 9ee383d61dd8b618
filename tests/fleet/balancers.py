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
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = url_of(free)
    text = (EXAMPLE / "nginx.conf").read_text()
    places = [f"127.0.0.1:{port}" for port in (4242, 4243, 4244)]
    for place, actual in zip(places, [url, *servers], strict=True):
        text = text.replace(place, actual.removeprefix("http://"))
    text = text.replace("modules/ngx", f"{module.parent}/ngx")
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    temporary = "".join(f"  {kind}_temp_path {folder};\n" for kind in kinds)
    (folder / "nginx.conf").write_text(text.replace("http {\n", f"http {{\n  access_log off;\n{temporary}"))
    shutil.copy(EXAMPLE / "tag.js", folder)
    options = f"daemon off; master_process off; pid {folder}/nginx.pid; error_log stderr notice;"
    with _running([path, "-p", str(folder), "-c", "nginx.conf", "-g", options]) as process:
        assert process.stderr is not None
        # It says by what it learns of connections once it listens.
        said = process.stderr.readline()
        while said and b"event method" not in said:
            said = process.stderr.readline()
        yield url


BALANCERS: Mapping[str, Balancer] = {"haproxy": haproxy, "nginx": nginx}


@contextmanager
def _running(
    command: Sequence[str], names: Mapping[str, str] | None = None, listener: socket.socket | None = None
) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        command,
        env=os.environ | (names or {}),
        pass_fds=() if listener is None else [listener.fileno()],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()
