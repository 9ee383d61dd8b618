"""What the mock server plays beside the API: chains, providers, mail, keys."""
