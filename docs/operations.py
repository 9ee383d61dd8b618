"""Where each operation is declared, for the server that imports modules on first use."""

from mockserver import resources
from mockserver.api.endpoint import read_endpoints
from mockserver.server import control


def operations_file() -> str:
    """A line an operation: module, method, path, operation id."""
    return "".join(
        f"{package.__name__}.{name} {endpoint.method} {endpoint.path} {endpoint.operation}\n"
        for package in (resources, control)
        for name in package.MODULES
        for endpoint in read_endpoints(f"{package.__name__}.{name}")
    )
