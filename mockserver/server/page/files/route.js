/**
 * The address of a view: `#/PROJECT/VIEW?filters`. It holds all that a colleague needs to see the same.
 *
 * @typedef {{ project: string, view: string, params: URLSearchParams }} Route
 */

/** The address that the view shows, any other one is to be navigated to; and whether the entry before has the same. */
let shown = "";
let wasTwin = false;

/** Whether the browser's address is that of another view. */
export function isElsewhere() {
  return location.hash !== shown;
}

/** Note that what the browser's address names is shown. */
export function noteShown() {
  shown = location.hash;
  wasTwin = history.state?.kind === "twin";
}

/** @returns {Route} */
export function currentRoute() {
  const [path, query = ""] = location.hash.slice(1).split("?", 2);
  const [, project = "", view = ""] = path.split("/");
  return { project: decode(project), view: decode(view), params: new URLSearchParams(query) };
}

/** @param {string} text */
function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** @param {string} project @param {string} view @param {Record<string, unknown> | URLSearchParams} [params] */
export function addressOf(project, view, params = {}) {
  const given = params instanceof URLSearchParams ? [...params] : Object.entries(params);
  const kept = given.filter(
    ([, value]) => value !== null && value !== undefined && value !== "" && value !== false,
  );
  const query = new URLSearchParams(kept.map(([name, value]) => [name, String(value)])).toString();
  return `#/${encodeURIComponent(project)}/${encodeURIComponent(view)}${query ? `?${query}` : ""}`;
}

/** Change parameters; null, false and an empty text remove one. @param {URLSearchParams} params @param {Record<string, unknown>} changes */
export function setParams(params, changes) {
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === undefined || value === "" || value === false) params.delete(name);
    else params.set(name, value === true ? "true" : String(value));
  }
}

/**
 * Change parameters of the address, as `setParams` does. What is opened is an entry of its own in the browser's history,
 * so that its way back closes it. Closed by other means, that entry is a twin of the one before, which is gone past.
 *
 * @param {Record<string, unknown>} changes
 * @param {"stay" | "open" | "close"} [how]
 */
export function changeParams(changes, how = "stay") {
  const route = currentRoute();
  setParams(route.params, changes);
  const address = addressOf(route.project, route.view, route.params);
  if (address === location.hash) return;
  const { kind } = history.state ?? {};
  if (how === "open" && kind !== "twin") history.pushState({ kind: "opened" }, "", address);
  else
    history.replaceState(
      { kind: how === "open" ? "opened" : how === "close" && kind === "opened" ? "twin" : kind },
      "",
      address,
    );
  noteShown();
}

addEventListener("popstate", () => {
  if (wasTwin && location.hash === shown) history.back();
  wasTwin = history.state?.kind === "twin";
});
