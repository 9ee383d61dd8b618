"use strict";
const api = new URLSearchParams(location.search).get("api") || "public";
document.querySelector(`nav a[data-api="${CSS.escape(api)}"]`)?.setAttribute("aria-current", "page");
SwaggerUIBundle({
  dom_id: "#reference",
  url: `openapi.json?api=${encodeURIComponent(api)}`,
  deepLinking: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  displayOperationId: true,
  displayRequestDuration: true,
  filter: true,
  persistAuthorization: true,
  // Nothing is asked of another server.
  validatorUrl: null,
});
