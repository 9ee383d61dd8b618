"""What happened in a project: the journal, effects, moments, verification."""
