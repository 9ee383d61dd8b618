"""The bundler of a chain, its paymaster, and what wallets are asked."""
