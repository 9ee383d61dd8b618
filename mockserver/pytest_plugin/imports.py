"""How the modules of this package are imported in a run of pytest."""

import gc
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_PACKAGE = __name__.partition(".")[0]


class _Unchanged:
    """Finds modules of this package where they are, before pytest's own finder does."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder`."""
        return PathFinder.find_spec(name, path, target) if name.startswith(f"{_PACKAGE}.") else None


@contextmanager
def import_unchanged() -> Iterator[None]:
    """Meanwhile import the modules of this package as they are.

    Of a package with a plugin pytest rewrites every assertion. These are no assertions of tests, and the
    rewritten modules take a fifth longer to import.
    """
    finder = _Unchanged()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        # What a test has put back may be the list from before it.
        with suppress(ValueError):
            sys.meta_path.remove(finder)


def count_as_old() -> None:
    """Let the garbage collector take all that is there for old, which it seldom looks through.

    What is frozen it does not look through at all, and unfreezing makes it old. Who has frozen objects before
    wants them to stay so.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
