"""What changed between two versions of the package, by its changelog."""

import re

from mockserver.manual import read_page

_HEADING = re.compile(r"## \[(?P<version>[^\]]+)\]")


def entries_between(recorded: str, current: str) -> list[str]:
    """The lines of the changelog since the version of a recording; none for the same version."""
    if recorded == current:
        return []
    try:
        text = read_page("CHANGELOG")
    except LookupError:
        return []
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
