"""Nodes of the simulated chains, bundlers and wallets, as JSON-RPC. Nothing but the assembly imports this."""

MODULES = (
    "endpoints",
    "explorer",
    "evm.state",
    "evm.blocks",
    "evm.pool",
    "evm.calls",
    "evm.tracing",
    "evm.simulated_blocks",
    "evm.sending",
    "evm.logs",
    "evm.subscribing",
    "evm.accounts",
    "evm.control",
    "bundler.bundling",
    "bundler.paymaster",
    "bundler.wallet",
    "solana.accounts",
    "solana.validators",
    "solana.sending",
    "solana.records",
    "solana.subscribing",
    "solana.kora",
)
"""The modules that declare its endpoints."""
