"""Writes the pages of docs/reference, and the examples of the OpenAPI documents: `python docs/generate.py`.

The pages are made from the declarations, the examples from calls that are made. With `--check` nothing is
written: the files that are out of date are named, and the exit code is 1.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from docs.examples import examples_file  # noqa: E402
from docs.pages import pages  # noqa: E402

REFERENCE = ROOT / "docs" / "reference"
EXAMPLES = ROOT / "mockserver" / "server" / "openapi" / "examples.jsonl"


def main(arguments: Sequence[str]) -> int:
    """Write the files, or check them; the exit code."""
    stale = []
    examples = {EXAMPLES: examples_file(EXAMPLES.read_text(encoding="utf-8"))}
    for path, text in {**examples, **{REFERENCE / name: text for name, text in pages().items()}}.items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.name)
        if "--check" not in arguments:
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"{'out of date' if '--check' in arguments else 'written'}: {', '.join(stale)}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
