"""The state of a server: rows, tables, projects and the world."""
