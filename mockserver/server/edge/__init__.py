"""The asynchronous edge: connections, uvicorn, waiting in real time, sending, the log."""
