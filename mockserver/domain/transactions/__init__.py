"""Transactions from request to receipt, on EVM chains and on Solana."""
