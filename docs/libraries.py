"""Takes from npm what the server sends to browsers: `python docs/libraries.py swagger-ui-dist@VERSION`.

Large files are compressed, so that the package stays small; browsers take them as they are.
"""

import gzip
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).resolve().parents[1] / "mockserver"


class Library(NamedTuple):
    """Which files of a library are taken, and where they are put."""

    target: Path
    plain: tuple[str, ...]
    compressed: tuple[str, ...] = ()


LIBRARIES = {
    "swagger-ui-dist": Library(
        PACKAGE / "server" / "page" / "viewer" / "swagger-ui",
        ("LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt"),
        ("swagger-ui-bundle.js", "swagger-ui.css"),
    ),
    "penpal": Library(PACKAGE / "shield" / "frame" / "penpal", ("LICENSE", "dist/penpal.min.js")),
}


def main(wanted: str) -> None:
    """Replace the files of a library by those of a version."""
    name, _, version = wanted.partition("@")
    library = LIBRARIES[name]
    library.target.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(["npm", "pack", wanted, "--silent"], cwd=directory, check=True)
        (archive,) = Path(directory).glob("*.tgz")
        with tarfile.open(archive) as contents:
            for file in (*library.plain, *library.compressed):
                member = contents.extractfile(f"package/{file}")
                assert member is not None
                place, content = library.target / Path(file).name, member.read()
                if file in library.compressed:
                    # Without a time the same files give the same bytes.
                    place, content = place.with_name(f"{place.name}.gz"), gzip.compress(content, mtime=0)
                place.write_bytes(content)
    (library.target / "VERSION").write_text(f"{name} {version}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1])
