"""What goes wrong on purpose: YAML scenarios."""
