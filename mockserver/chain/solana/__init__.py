"""Encodings of Solana: messages, transactions, data of Anchor programs."""
