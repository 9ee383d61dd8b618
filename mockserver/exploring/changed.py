"""The files that changed since a revision, for exploring their tests only."""

import subprocess
from pathlib import Path

_ASKED = (
    ("diff", "--name-only", "--relative", "-z", "--end-of-options"),
    ("ls-files", "--others", "--exclude-standard", "-z"),
)
"""What git is asked: for what differs, to which the revision is added, and for what it does not have yet."""


def find_changed(folder: Path, revision: str) -> frozenset[Path]:
    """The files below a folder that differ from a revision of git. ValueError without an answer of git."""
    found: set[Path] = set()
    for words, more in zip(_ASKED, ((revision, "--"), ()), strict=True):
        command = ["git", "-C", str(folder), *words, *more]
        try:
            ran = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            raise ValueError(f"git cannot be run: {error}") from None
        if ran.returncode:
            raise ValueError(ran.stderr.partition("\n")[0])
        found.update(folder / name for name in ran.stdout.split("\0") if name)
    return frozenset(found)


def is_affected(test: Path, changed: frozenset[Path]) -> bool:
    """Whether the file of a test is among those that changed, or a `conftest.py` that it reads."""
    return test in changed or any(
        file.name == "conftest.py" and test.is_relative_to(file.parent) for file in changed
    )
