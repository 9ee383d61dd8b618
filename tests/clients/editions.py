"""The clients' versions that are tried, and the flows that each of them plays."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from tests.thoroughness import THOROUGHNESS

HERE = Path(__file__).parent
SCRIPTS = tuple(sorted(path.name for path in HERE.glob("*.flows.mjs")))
_PACKAGE = re.compile(r"(?:npm:)?@openfort/openfort-(node|js)(?:@(.+))?")
_FLOW = re.compile(r'^flow\("(?P<name>[^"]+)", (?:\{ (?P<options>.+) \}, )?', re.MULTILINE)
_ONLY = re.compile(r"^only\(\{ (.+) \}\);", re.MULTILINE)
_OPTION = re.compile(r'(\w+): "([^"]*)"')


@dataclass(frozen=True)
class Edition:
    """One version of a client: `installed` in `node_modules`, and imported by scripts as `package`."""

    client: str
    version: str
    installed: str
    package: str

    def __str__(self) -> str:
        return f"{self.client}-{self.version}"

    @property
    def scripts(self) -> tuple[str, ...]:
        """The scripts that have flows for this version; the first word of their names is the client."""
        return tuple(
            name for name in SCRIPTS if name.partition("_")[0] == self.client and flows_of(name, self)
        )


@dataclass(frozen=True)
class Flow:
    """A flow as its script declares it; `fails` says why it is expected to fail, if it is."""

    name: str
    fails: str


def editions() -> tuple[Edition, ...]:
    """The newest version of each client in package.json, which has no alias, or all; then other clients."""
    found = []
    wanted = json.loads((HERE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    for name, spec in wanted.items():
        is_older = spec.startswith("npm:")
        package = _PACKAGE.fullmatch(spec if is_older else name)
        if package is not None and (THOROUGHNESS > 1 or not is_older):
            client, version = package.groups()
            found.append(Edition(client, version or spec, name, f"@openfort/openfort-{client}"))
    others = {script.partition("_")[0] for script in SCRIPTS} - {each.client for each in found}
    return (*found, *(Edition(client, "0", "", "") for client in sorted(others)))


def flows_of(script: str, edition: Edition) -> tuple[Flow, ...]:
    """The flows of a script that a version plays."""
    text = (HERE / script).read_text(encoding="utf-8")
    common = _ONLY.search(text)
    shared = _options(common and common[1])
    found = []
    for match in _FLOW.finditer(text):
        options = shared | _options(match["options"])
        if _is_between(edition.version, options.get("since"), options.get("until")):
            found.append(Flow(match["name"], options.get("fails", "")))
    return tuple(found)


def _options(given: str | None) -> dict[str, str]:
    return dict(_OPTION.findall(given or ""))


def _is_between(version: str, since: str | None, until: str | None) -> bool:
    return (not since or _parts(since) <= _parts(version)) and (not until or _parts(version) <= _parts(until))


def _parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
