"""Modules that are imported on first use, in a process where tests change what is imported."""

import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from importlib.abc import Loader

__tracebackhide__ = True

_PACKAGE = __name__.partition(".")[0]
_kept: dict[str, ModuleType] = {}
_serving = threading.local()


@contextmanager
def keep_imports() -> Iterator[None]:
    """Meanwhile import each module of this package once, and as it is.

    A test may put back the `sys.modules` from before it, as `mock.patch.dict` and pyfakefs do. A module
    that the server imported in between would be imported again, and its classes be others than those of
    the objects that are there. So it is kept, and so is what else is imported on a thread that serves.

    Of a package with a plugin pytest rewrites every assertion. These are no assertions of tests, and the
    rewritten modules take a fifth longer to import.
    """
    finder = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        # What a test has put back may be the list from before it.
        with suppress(ValueError):
            sys.meta_path.remove(finder)


def keep_imports_of_this_thread() -> None:
    """Let `keep_imports` keep the modules of other packages as well that this thread imports."""
    _serving.keeps_all = True


class _Finder:
    """Finds modules where they are, before pytest's own finder does."""

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """See `importlib.abc.MetaPathFinder`."""
        if not (name.startswith(f"{_PACKAGE}.") or hasattr(_serving, "keeps_all")):
            return None
        spec = PathFinder.find_spec(name, path, target)
        # A module is reloaded because it is to be another one.
        if spec is not None and spec.loader is not None and target is None:
            spec.loader = cast("Loader", _Loader(spec.loader))
        return spec


class _Loader:
    """Loads a module as its own loader does, once."""

    def __init__(self, loader: Any) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """See `importlib.abc.Loader`."""
        kept = _kept.get(spec.name)
        return self._loader.create_module(spec) if kept is None else kept

    def exec_module(self, module: ModuleType) -> None:
        """See `importlib.abc.Loader`."""
        name = module.__name__
        assert module.__spec__ is not None
        module.__spec__.loader = module.__loader__ = self._loader
        if name not in _kept:
            self._loader.exec_module(module)
            _kept[name] = module
