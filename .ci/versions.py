"""Writes the pages that list the versions of a site and lead to the newest: `.ci/versions.py PLACE`.

PLACE has a directory for each version, such as `1.2.0`.
"""

import re
import sys
from pathlib import Path

_VERSION = re.compile(r"\d+\.\d+\.\d+")
_PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Documentation of mockserver</title>
{head}<h1>Documentation of mockserver</h1>
<ul>
{items}
</ul>
</html>
"""


def main(place: Path) -> None:
    """Write `versions.html`, the newest version first, and `index.html`, which leads to the newest."""
    found = [path.name for path in place.iterdir() if _VERSION.fullmatch(path.name)]
    versions = sorted(found, key=lambda name: [int(part) for part in name.split(".")], reverse=True)
    if not versions:
        sys.exit(f"{place} has no version")
    items = "\n".join(f'<li><a href="{version}/docs/index.html">{version}</a></li>' for version in versions)
    to_newest = f'<meta http-equiv="refresh" content="0; url={versions[0]}/docs/index.html">\n'
    (place / "versions.html").write_text(_PAGE.format(head="", items=items), encoding="utf-8")
    (place / "index.html").write_text(_PAGE.format(head=to_newest, items=items), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
