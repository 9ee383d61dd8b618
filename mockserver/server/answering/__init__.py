"""From a request to its response, synchronously."""
