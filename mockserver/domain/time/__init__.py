"""Time in a project: the timer loop, and rate limits by the project's clock."""
