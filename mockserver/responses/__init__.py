"""The shapes of answers, and the functions that build them from rows."""
