"""Takes the viewer of the OpenAPI documents from npm: `python docs/viewer.py VERSION`.

Its files are compressed, so that the package stays small; browsers take them as they are.
"""

import gzip
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PACKAGE = "swagger-ui-dist"
TARGET = Path(__file__).resolve().parents[1] / "mockserver" / "server" / "page" / "viewer" / "swagger-ui"
COMPRESSED = ("swagger-ui-bundle.js", "swagger-ui.css")
NOTICES = ("LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt")


def main(version: str) -> None:
    """Replace the files by those of a version."""
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run(["npm", "pack", f"{PACKAGE}@{version}", "--silent"], cwd=directory, check=True)
        (archive,) = Path(directory).glob("*.tgz")
        with tarfile.open(archive) as contents:
            for name in (*COMPRESSED, *NOTICES):
                member = contents.extractfile(f"package/{name}")
                assert member is not None
                _write(name, member.read())
    (TARGET / "VERSION").write_text(f"{PACKAGE} {version}\n", encoding="utf-8")


def _write(name: str, content: bytes) -> None:
    if name in COMPRESSED:
        # Without a time the same files give the same bytes.
        (TARGET / f"{name}.gz").write_bytes(gzip.compress(content, mtime=0))
    else:
        (TARGET / name).write_bytes(content)


if __name__ == "__main__":
    main(sys.argv[1])
