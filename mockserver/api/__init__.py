"""How an endpoint is declared."""
