"""Nodes of the simulated chains, bundlers and wallets, as JSON-RPC. Nothing but the assembly imports this."""

MODULES = (
    "doors",
    "explorer",
    "evm.state",
    "evm.blocks",
    "evm.fees",
    "evm.pool",
    "evm.calls",
    "evm.tracing",
    "evm.simulated_blocks",
    "evm.sending",
    "evm.logs",
    "evm.subscribing",
    "evm.accounts",
    "evm.test_actions",
    "bundler.bundling",
    "bundler.paymaster",
    "bundler.wallet",
    "solana.accounts",
    "solana.blocks",
    "solana.programs",
    "solana.validators",
    "solana.sending",
    "solana.subscribing",
    "solana.kora",
)
"""The modules that declare its endpoints."""
