"""Writes the pages of docs/reference from the declarations: `python docs/generate.py`.

With `--check` nothing is written: the pages that are out of date are named, and the exit code is 1.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from docs.pages import pages  # noqa: E402

REFERENCE = ROOT / "docs" / "reference"


def main(arguments: Sequence[str]) -> int:
    """Write the pages, or check them; the exit code."""
    stale = []
    for name, text in pages().items():
        path = REFERENCE / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"{'out of date' if '--check' in arguments else 'written'}: {', '.join(stale)}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
