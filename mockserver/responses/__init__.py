"""What several resources show, as the API shows it."""
