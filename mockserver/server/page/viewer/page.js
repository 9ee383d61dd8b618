"use strict";
const parameters = new URLSearchParams(location.search);
const api = parameters.get("api") || "public";
for (const link of document.querySelectorAll("nav a[data-api]")) {
  if (link.dataset.api === api) link.setAttribute("aria-current", "page");
  if (parameters.has("project")) link.search += `&project=${encodeURIComponent(parameters.get("project"))}`;
}

/** The document, and the parts of it that were asked for before it was there. */
let described = null;
let awaited = [];

function partOf(path) {
  return path.reduce((within, name) => within?.[name], described);
}

/** A value of the document with what its references lead to, but for those that lead back into themselves. */
function resolve(value, within = []) {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => resolve(each, within));
  const { $ref, ...beside } = value;
  if (typeof $ref === "string" && $ref.startsWith("#/")) {
    if (within.includes($ref)) return value;
    const path = $ref.slice(2).split("/").map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"));
    return { ...resolve(partOf(path), [...within, $ref]), ...resolve(beside, within) };
  }
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, resolve(each, within)]));
}

/**
 * Reads the document as the JSON that it is, and resolves what is looked at. The viewer's own reader takes it for YAML, and
 * its resolver goes through all of it several times, which takes seconds.
 */
const readerOf = (project) => () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        parseToJson: (_original, { specActions, specSelectors }) => () => {
          described = JSON.parse(specSelectors.specStr());
          nameProject(project);
          const done = specActions.updateJsonSpec(described);
          for (const path of awaited) specActions.updateResolvedSubtree(path, resolve(partOf(path)));
          return done;
        },
        requestResolvedSubtree: (_original, { specActions, specSelectors }) => (path) => {
          if (!described) awaited.push(path);
          // Not while it is being drawn.
          else if (!specSelectors.specResolvedSubtree(path))
            queueMicrotask(() => specActions.updateResolvedSubtree(path, resolve(partOf(path))));
        },
      },
    },
  },
});

/** Shows what is known about an operation beside the real service, in one line instead of as JSON. */
const showFidelity = (system) => ({
  components: {
    OperationExt: ({ extensions }) => {
      const { kind, source, shown } = extensions.get("x-mockserver-fidelity").toJS();
      const against = shown.map(({ what, version }) => `${what} ${version}`).join(", ");
      const line = `Fidelity: ${kind} (${source}). Last shown against: ${against || "nothing"}.`;
      return system.React.createElement("div", { className: "opblock-description-wrapper" }, line);
    },
  },
});

/** Let the paths of the control API be those of a project. */
function nameProject(project) {
  const operations = Object.values(described.paths).flatMap((path) => Object.values(path));
  const given = operations.flatMap((operation) => operation.parameters ?? []);
  for (const each of given) if (project && each.in === "path" && each.name === "p") each.example = project.id;
}

/** The project whose keys are filled in: that of the address, or else the first one; none where they are secret. */
async function findProject(headers) {
  const answer = await fetch("projects?limit=1000", { headers });
  const { data = [] } = await answer.json();
  return data.find(({ id }) => id === parameters.get("project")) ?? data[0];
}

/** Show the document, with keys filled in so that each call can be tried at once. */
async function show() {
  const token = sessionStorage.getItem("mockserver-control-token");
  const project = await findProject(token ? { "x-mockserver-token": token } : {});
  const keys = {
    public: {
      secretKey: project?.secret_key,
      publishableKey: project?.publishable_key,
      projectKey: project?.publishable_key,
    },
    // The paths name the project.
    control: { controlToken: token },
  };
  const viewer = SwaggerUIBundle({
    dom_id: "#reference",
    url: `openapi.json?api=${encodeURIComponent(api)}`,
    deepLinking: true,
    docExpansion: "none",
    defaultModelsExpandDepth: 0,
    displayOperationId: true,
    displayRequestDuration: true,
    filter: true,
    showExtensions: true,
    plugins: [readerOf(project), showFidelity],
    onComplete: () => {
      for (const [name, key] of Object.entries(keys[api])) if (key) viewer.preauthorizeApiKey(name, key);
    },
    // Nothing is asked of another server.
    validatorUrl: null,
  });
}

show();
