"""The titles of the sections of a report."""

JOURNAL = "mockserver journal"
ERRORS = "mockserver error answers"
RULES = "mockserver rules"
FATES = "mockserver fates"
UNDECLARED_KEYS = "mockserver undeclared keys"
