"""Time, chance, rows and lives: everything deterministic that knows no word of the API."""
