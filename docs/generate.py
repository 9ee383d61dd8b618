"""Writes what is generated: `python docs/generate.py`.

The pages of docs/reference and the JSON Schema of scenarios are made from the declarations, the examples of
the OpenAPI documents from calls that are made, the picture of the layers from the contracts of the import
linter. With `--check` nothing is written: the files that are out of date are named, and the exit code is 1.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from docs.examples import examples_file  # noqa: E402
from docs.pages import pages  # noqa: E402
from docs.pages.architecture import architecture_picture  # noqa: E402
from mockserver.scenario.checking.json_schema import schema_text  # noqa: E402
from mockserver.server.assembly import ROUTES  # noqa: E402

REFERENCE = ROOT / "docs" / "reference"
SCHEMA = ROOT / "scenarios" / "scenario.schema.json"
PICTURE = ROOT / "docs" / "images" / "architecture.svg"
EXAMPLES = ROOT / "mockserver" / "server" / "openapi" / "examples.jsonl"


def main(arguments: Sequence[str]) -> int:
    """Write the files, or check them; the exit code."""
    stale = []
    files = {
        EXAMPLES: examples_file(EXAMPLES.read_text(encoding="utf-8")),
        SCHEMA: schema_text(ROUTES),
        PICTURE: architecture_picture(),
        **{REFERENCE / name: text for name, text in pages().items()},
    }
    for path, text in files.items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.name)
        if "--check" not in arguments:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if stale:
        print(f"{'out of date' if '--check' in arguments else 'written'}: {', '.join(stale)}")
    return 1 if stale and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
