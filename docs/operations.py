"""Where each operation is declared, for the server that imports modules on first use."""

from pathlib import Path
from types import ModuleType

from mockserver import funding, nodes, resources, shield, webhooks
from mockserver.api.endpoint import read_endpoints
from mockserver.server import control

_PACKAGE = Path(__file__).parents[1] / "mockserver"
_LISTED: dict[str, tuple[ModuleType, ...]] = {
    "server": (resources, control),
    "funding": (funding,),
    "nodes": (nodes,),
    "shield": (shield,),
    "webhooks": (webhooks,),
}
"""Whose modules the file in a folder lists."""


def operations_files() -> dict[Path, str]:
    """The files, with a line an operation: module, method, path, operation id."""
    return {_PACKAGE / folder / "operations.txt": _lines(listed) for folder, listed in _LISTED.items()}


def _lines(packages: tuple[ModuleType, ...]) -> str:
    return "".join(
        f"{package.__name__}.{name} {endpoint.method} {endpoint.path} {endpoint.operation}\n"
        for package in packages
        for name in package.MODULES
        for endpoint in read_endpoints(f"{package.__name__}.{name}")
    )
