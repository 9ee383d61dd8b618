"""Sponsored transactions on Solana: what policies decide about them, and their lifecycle."""
