"""Writes what is generated: `python docs/generate.py`.

The pages of docs/reference and the JSON Schema of scenarios are made from the declarations, the examples of
the OpenAPI documents from calls that are made, the picture of the layers from the contracts of the import
linter, and what agents read from sections of other pages. With `--check` nothing is written: the files that
are out of date are named, and the exit code is 1.
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from docs.operations import operations_files  # noqa: E402

REFERENCE = ROOT / "docs" / "reference"
FIDELITY = ROOT / "docs" / "fidelity.md"
SCHEMA = ROOT / "scenarios" / "scenario.schema.json"
PICTURE = ROOT / "docs" / "images" / "architecture.svg"
AGENTS = ".agents/AGENTS.md"
SKILL = "docs/skills/mockserver/SKILL.md"
EXAMPLES = ROOT / "mockserver" / "server" / "openapi" / "examples.jsonl"


def main(arguments: Sequence[str]) -> int:
    """Write the files, or check them; the exit code."""
    is_check = "--check" in arguments
    # The other files are about the operations that these list.
    stale = _refresh(operations_files(), is_check=is_check)
    stale += _refresh(generated_files(), is_check=is_check)
    if stale:
        print(f"{'out of date' if is_check else 'written'}: {', '.join(stale)}")
    return 1 if stale and is_check else 0


def generated_files() -> dict[Path, str]:
    """The files that are about the operations, as they are to be."""
    from docs.examples import examples_file
    from docs.pages import pages
    from docs.pages.agents import agents_page, skill_page
    from docs.pages.architecture import architecture_picture
    from docs.pages.fidelity import fidelity_page
    from mockserver.scenario.checking.json_schema import schema_text
    from mockserver.server.assembly import ROUTES

    return {
        EXAMPLES: examples_file(EXAMPLES.read_text(encoding="utf-8")),
        SCHEMA: schema_text(ROUTES),
        PICTURE: architecture_picture(),
        ROOT / AGENTS: agents_page(AGENTS),
        ROOT / SKILL: skill_page(SKILL),
        FIDELITY: fidelity_page(),
        **{REFERENCE / name: text for name, text in pages().items()},
    }


def _refresh(files: Mapping[Path, str], *, is_check: bool) -> list[str]:
    """The names of the files that are out of date, which are written unless they are to be checked only."""
    stale = []
    for path, text in files.items():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale.append(path.name)
        if not is_check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
