"""An in-memory test double of an identity, wallet and gas-sponsorship REST API."""

__version__ = "0.1.0"
