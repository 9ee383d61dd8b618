"""What the garbage collector looks through in a run of pytest."""

import gc


def count_as_old() -> None:
    """Let the garbage collector take all that is there for old, which it seldom looks through.

    What is frozen it does not look through at all, and unfreezing makes it old. Who has frozen objects before
    wants them to stay so.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
