"""Requests for HTTP clients with a window: Postman, Bruno, and `.http` files of editors."""
