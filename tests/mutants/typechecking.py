"""What mypy says of the mutants that no test notices: every change has to pass it, too."""

import subprocess
import sys
from pathlib import Path

from tests.mutants.measuring import KEPT
from tests.mutants.sites import Mutant


class TypeChecker:
    """Mypy in a copy of a checkout. What it found out about the package is kept beside the map."""

    def __init__(self, root: Path, copy: Path) -> None:
        self._copy = copy
        self._cache = root / KEPT / "types"
        if self._has_errors("mockserver"):
            raise SystemExit("mypy finds errors without a mutant")

    def refuses(self, mutant: Mutant) -> bool:
        """Whether a mutant's file has an error of types, such as a member of what may be None."""
        path = self._copy / mutant.file
        source = path.read_bytes()
        path.write_bytes(mutant.apply(source))
        try:
            return self._has_errors(mutant.file)
        finally:
            path.write_bytes(source)

    def _has_errors(self, path: str) -> bool:
        command = [sys.executable, "-m", "mypy", "--cache-dir", str(self._cache), path]
        done = subprocess.run(command, cwd=self._copy, capture_output=True, check=False)
        return done.returncode == 1
