"""What the tests of this process left behind, in a pytest inside it."""

import gc
from collections.abc import Iterator

import anyio
import pytest

from mockserver.scenario.checking.collection import paused_collection
from tests.plugin.conftest import Run

pytest_plugins = ["pytester"]


class Cycle:
    """Garbage that only the collector finds."""

    def __init__(self, held: object) -> None:
        self._held = held
        self._itself = self


@pytest.fixture
def garbage() -> Iterator[None]:
    """A stream of anyio that was not closed, as an old test client of Starlette leaves it."""
    gc.disable()
    Cycle(anyio.create_memory_object_stream[None](1))
    yield
    gc.enable()


@pytest.mark.usefixtures("garbage")
def test_what_this_run_ignores_fails_no_test_of_an_inner_run(run: Run) -> None:
    run("""
        import gc

        def test_it():
            gc.collect()
        """).assert_outcomes(passed=1)


def test_a_pause_ends_as_it_began() -> None:
    with paused_collection():
        assert not gc.isenabled()
        with paused_collection():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
