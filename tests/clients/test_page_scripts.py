"""The types and the form of the page's scripts, which JSDoc declares and npm packages check."""

import json
import subprocess
from pathlib import Path

import pytest

import mockserver.server.page

pytestmark = pytest.mark.clients

FILES = Path(mockserver.server.page.__file__).parent / "files"
OPTIONS = {
    "allowJs": True,
    "checkJs": True,
    "noEmit": True,
    "strict": True,
    "target": "ES2023",
    "module": "ES2022",
    "lib": ["ES2023", "DOM", "DOM.Iterable", "DOM.AsyncIterable"],
    "types": [],
    # The declarations of the language are not what is checked.
    "skipLibCheck": True,
}
WIDTH = "110"


def run(clients: Path, program: str, *arguments: str) -> str:
    """What a program of the installed packages finds."""
    command = ["node", str(clients / "node_modules" / program), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return "" if ran.returncode == 0 else ran.stdout + ran.stderr


def test_the_types_of_the_scripts_hold(clients: Path, tmp_path: Path) -> None:
    project = tmp_path / "tsconfig.json"
    project.write_text(json.dumps({"compilerOptions": OPTIONS, "include": [f"{FILES}/*.js"]}))
    assert run(clients, "typescript/bin/tsc", "-p", str(project)) == ""


def test_scripts_and_styles_are_formatted(clients: Path) -> None:
    assert run(clients, "prettier/bin/prettier.cjs", "--print-width", WIDTH, "--check", str(FILES)) == ""
