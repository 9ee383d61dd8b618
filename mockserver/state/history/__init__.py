"""What happened in a project: events, what they changed, and the bounded history of them."""
