"""Bundles the editor of the page from npm: `python docs/editor.py`.

`docs/editor` has the locked packages and what is used of them. The bundle is compressed, so that the package
stays small; browsers take it as it is.
"""

import gzip
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent / "editor"
TARGET = Path(__file__).resolve().parents[1] / "mockserver" / "server" / "page" / "codemirror"
_BUNDLE = ("--bundle", "--minify", "--format=esm", "--target=es2022", "--legal-comments=none")


def main() -> None:
    """Replace the bundle by one of the locked packages."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory)
        for file in SOURCE.iterdir():
            if file.is_file():
                shutil.copy(file, place)
        subprocess.run(["npm", "ci", "--silent"], cwd=place, check=True)
        esbuild = place / "node_modules" / ".bin" / "esbuild"
        built = subprocess.run([esbuild, "entry.js", *_BUNDLE], cwd=place, check=True, capture_output=True)
        TARGET.mkdir(exist_ok=True)
        # Without a time the same files give the same bytes.
        (TARGET / "codemirror.js.gz").write_bytes(gzip.compress(built.stdout, mtime=0))
        (TARGET / "LICENSE").write_text(_licences(place), encoding="utf-8")
    lines = [f"{name} {version}\n" for name, version in bundled_versions().items()]
    (TARGET / "VERSION").write_text("".join(lines), encoding="utf-8")


def bundled_versions() -> dict[str, str]:
    """The locked packages that the bundle is made of, and their versions."""
    locked = json.loads((SOURCE / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    return {
        path.removeprefix("node_modules/"): entry["version"]
        for path, entry in locked.items()
        if path and not entry.get("dev")
    }


def _licences(place: Path) -> str:
    """The licence of each package, those that are equal once."""
    names: dict[str, list[str]] = {}
    for name in bundled_versions():
        (file,) = (place / "node_modules" / name).glob("LICENSE*")
        names.setdefault(file.read_text(encoding="utf-8").strip(), []).append(name)
    return "\n\n".join(f"{', '.join(found)}\n\n{text}" for text, found in names.items()) + "\n"


if __name__ == "__main__":
    main()
