"""Tokens of the simulated chains: balances, calls and reads of ERC-20, ERC-721 and ERC-1155."""
