"""Projects and what they are made of: clock, tables, snapshots, scenarios."""
