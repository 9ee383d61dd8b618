"""Wallets, accounts and their keys: who owns them, who may use them, session keys."""
