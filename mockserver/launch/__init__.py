"""What starts the program: the application, its options, serving, certificates."""
