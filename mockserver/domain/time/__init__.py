"""Time in a project: the loop that fires what is due, and rate limits on the clock."""
