"""Users, and every way in which they sign in."""
