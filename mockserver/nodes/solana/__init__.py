"""The node of a Solana cluster, and Kora, which pays for transactions of users."""
