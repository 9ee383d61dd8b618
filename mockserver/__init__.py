"""An in-memory test double of an identity, wallet and gas-sponsorship REST API."""

from typing import TYPE_CHECKING

from mockserver.version import __version__

__all__ = ["__version__", "create_app"]

if TYPE_CHECKING:
    from mockserver.launch.application import create_app
else:

    def __getattr__(name: str) -> object:
        # Every run of pytest imports this package for its plugin; few of them create an application.
        if name == "create_app":
            from mockserver.launch.application import create_app

            return create_app
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
