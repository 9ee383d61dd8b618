"""Python's collector of reference cycles, kept from searching while many lasting objects are made."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused_collection() -> Iterator[None]:
    """Collect nothing meanwhile, for work that is bounded and makes no cycles.

    A file of ten thousand rules becomes half a million objects, all of which stay: looking through them
    again and again takes twice as long as reading the file. Afterwards they count as old: all objects do.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            # What was frozen is nothing that the collector would find, and unfreezing makes it old. Who has
            # frozen objects before wants them to stay so.
            if not gc.get_freeze_count():
                gc.freeze()
                gc.unfreeze()
            gc.enable()
