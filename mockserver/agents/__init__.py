"""The tools by which agents use the mock server, in the Model Context Protocol (MCP)."""
