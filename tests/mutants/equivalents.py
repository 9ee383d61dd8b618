"""The mutants that change nothing that can be observed, as `equivalents.yaml` names them with the reason."""

from collections.abc import Iterable
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

import yaml

from tests.mutants.sites import Mutant

FILE = Path(__file__).with_name("equivalents.yaml")


class Change(NamedTuple):
    """A mutant by the lines that it takes out of a file and puts in, however they are indented."""

    file: str
    before: str
    after: str


def change_of(mutant: Mutant, source: bytes) -> Change:
    """What a mutant changes; it stays the same when lines above come and go."""
    old, new = (text.decode().splitlines() for text in (source, mutant.apply(source)))
    changed = list(unified_diff(old, new, lineterm="", n=0))[2:]
    return Change(mutant.file, *(" ".join(_marked(changed, mark)) for mark in "-+"))


def _marked(lines: Iterable[str], mark: str) -> Iterable[str]:
    return (line[1:].strip() for line in lines if line[0] == mark)


def read_equivalents() -> dict[Change, str]:
    """The reason of each."""
    rows = yaml.safe_load(FILE.read_text(encoding="utf-8")) or []
    return {Change(row["file"], row["before"], row["after"]): row["reason"] for row in rows}
