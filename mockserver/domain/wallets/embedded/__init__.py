"""Embedded wallets: accounts in the custody of users, who recover the key themselves."""
