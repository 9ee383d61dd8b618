"""What the server imports on first use, in tests that change what is imported."""

import socket
import sys
import threading
from importlib import import_module, reload
from importlib.machinery import SourceFileLoader

import pytest

from mockserver.testing.imports import keep_imports, keep_imports_of_this_thread
from mockserver.testing.server import LiveServer
from tests.plugin.conftest import Run
from tests.tables import cases

pytest_plugins = ["pytester"]

OURS, ANOTHER = "mockserver.kernel.globs", "colorsys"


class Other:
    """Finds nothing, as the finder of pytest does which rewrites assertions, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def find_spec(self, name: str, path: object, target: object = None) -> None:
        self.asked.append(name)


@pytest.fixture
def other(monkeypatch: pytest.MonkeyPatch) -> Other:
    """A finder that was there before, in a process without servers that has not imported the two modules."""
    other = Other()
    finders = [each for each in sys.meta_path if type(each).__module__ != keep_imports.__module__]
    monkeypatch.setattr("mockserver.testing.imports._kept", {})
    monkeypatch.setattr(sys, "meta_path", [other, *finders])
    for name in (OURS, ANOTHER):
        monkeypatch.delitem(sys.modules, name, raising=False)
    return other


def test_modules_of_this_package_are_imported_unchanged(other: Other) -> None:
    with keep_imports():
        for name in (OURS, ANOTHER):
            module = import_module(name)
            assert module.__spec__ is not None
            assert isinstance(module.__spec__.loader, SourceFileLoader)
            assert module.__loader__ is module.__spec__.loader
    assert other.asked == [ANOTHER]


def test_modules_of_this_package_are_imported_once(other: Other) -> None:
    with keep_imports():
        first = import_module(OURS)
        del sys.modules[OURS]
        assert import_module(OURS) is first
        before = first.read_glob
        assert reload(first).read_glob is not before
    del sys.modules[OURS]
    assert import_module(OURS) is not first
    assert other.asked == [OURS]


def test_what_a_serving_thread_imports_is_imported_once(other: Other) -> None:
    found = []

    def serve() -> None:
        keep_imports_of_this_thread()
        for _ in range(2):
            found.append(import_module(ANOTHER))
            del sys.modules[ANOTHER]

    with keep_imports():
        thread = threading.Thread(target=serve)
        thread.start()
        thread.join()
        assert found[0] is found[1] is not import_module(ANOTHER)
    assert other.asked == [ANOTHER]


def test_a_test_may_put_back_the_finders_from_before(monkeypatch: pytest.MonkeyPatch) -> None:
    before = [*sys.meta_path]
    with keep_imports():
        monkeypatch.setattr(sys, "meta_path", before)
    assert sys.meta_path == before


def test_a_server_works_where_tests_restore_the_modules(run_apart: Run) -> None:
    run_apart("""
        import sys
        from unittest.mock import patch

        def use(project, api):
            wallet = project.given.sponsored_wallet()
            calls = [{"to": "0x" + "ab" * 20, "value": "1"}]
            wanted = {"chainId": wallet.chain_id, "accountId": wallet.id, "calls": calls}
            project.load("rules: [{when: GetContracts, then: {delay: 1s}}]")
            assert api.get("/v1/contracts").is_success
            project.fate(outcome="reverted", reason="paused")
            assert api.post("/v2/transactions", json=wanted).json()["status"] == "reverted"
            assert [entry["status"] for entry in project.journal] == [200, 200]

        def test_without_a_package(mock_project, mock_api):
            with patch.dict(sys.modules, {"stripe": None}):
                use(mock_project, mock_api)

        def test_after_it(mock_project, mock_api):
            use(mock_project, mock_api)
        """).assert_outcomes(passed=2)


def test_a_server_listens_after_tests_without_sockets(run_apart: Run) -> None:
    run_apart("""
        import socket

        import httpx

        OWN = socket.socket


        class Guarded(OWN):
            def __new__(cls, *_, **__):
                raise RuntimeError("as pytest-socket does")


        socket.socket = Guarded


        def test_that_has_sockets_again(mock_project):
            assert socket.socket is Guarded
            socket.socket = OWN
            assert httpx.get(mock_project.url + "/_mock/ready").is_success
    """).assert_outcomes(passed=1)


@cases("module", "gevent._socket3", "eventlet.greenio.base")
def test_a_server_says_whose_threads_it_cannot_use(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    monkeypatch.setattr(socket, "socket", type("socket", (), {"__module__": module}))
    with pytest.raises(RuntimeError, match=f"^{module.partition('.')[0]} has replaced sockets and threads"):
        LiveServer()
