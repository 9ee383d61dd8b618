"""Older families: they translate to the rows and lives of the newer ones and back."""
