"""Private keys: those that the mock has, how clients write them, and the shares of embedded ones."""
