"""What changed between two versions of the package, by its changelog."""

import re
from pathlib import Path

import mockserver

_HEADING = re.compile(r"## \[(?P<version>[^\]]+)\]")
_PACKAGE = Path(mockserver.__file__).parent


def entries_between(recorded: str, current: str) -> list[str]:
    """The lines of the changelog since the version of a recording; none for the same version."""
    if recorded == current:
        return []
    text = _read()
    found: list[str] = []
    wanted = False
    for line in text.splitlines():
        heading = _HEADING.match(line)
        if heading is not None:
            if heading["version"] == recorded:
                break
            wanted = True
        if wanted and line.strip():
            found.append(line)
    return found


def _read() -> str:
    # Beside the package in a checkout, within it where it is installed.
    for path in (_PACKAGE / "CHANGELOG.md", _PACKAGE.parent / "CHANGELOG.md"):
        if path.is_file():
            return path.read_text(encoding="utf-8")
    return ""
