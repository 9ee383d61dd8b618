"""Who people are, and how they show it: sign-in, sessions, codes, providers, tokens."""
