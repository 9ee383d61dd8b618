"""How clients of httpx reach a server: in this process without a socket, and elsewhere over HTTP."""
