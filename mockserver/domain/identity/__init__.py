"""Users, their sign-in methods, sessions and tokens."""
