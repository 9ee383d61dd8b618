"""The simulated chains: balances, nonces, blocks, gas, tokens and contracts."""
