/**
 * The address of a view: `#/PROJECT/VIEW?filters`. It holds all that a colleague needs to see the same.
 *
 * @typedef {{ project: string, view: string, params: URLSearchParams }} Route
 */

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
 * Change parameters of the address, as `setParams` does. What is pushed is left again by the browser's own way back.
 *
 * @param {Record<string, unknown>} changes
 * @param {{ push?: boolean }} [how]
 */
export function changeParams(changes, { push = false } = {}) {
  const route = currentRoute();
  setParams(route.params, changes);
  const address = addressOf(route.project, route.view, route.params);
  if (address === location.hash) return;
  if (push) history.pushState(null, "", address);
  else history.replaceState(null, "", address);
}
