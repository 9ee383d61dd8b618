"""HTTP: a thin skin over the operations."""
