// Which methods of a client the flows call, out of all that it has.

const found = new Map();

/** The methods of all observed clients by their paths, and whether they were called: `{"policies.list": true}`. */
export const methods = () => Object.fromEntries([...found].sort());

/** The same client, with the calls of its methods noted, those of its parts too. */
export function observed(client) {
  visit(client, "", new Set());
  return client;
}

function visit(holder, path, seen) {
  if (seen.has(holder)) return;
  seen.add(holder);
  observedPart(holder, path);
  for (const name of namesOf(holder)) {
    const member = holder[name];
    if (member !== null && typeof member === "object") visit(member, path + name + ".", seen);
  }
}

/** The same part of a client, with the calls of its own methods noted, whose paths begin as given. */
export function observedPart(part, path) {
  for (const name of namesOf(part)) if (typeof part[name] === "function") note(part, name, path + name);
  return part;
}

/** What a client's own members are called, those of its classes too. */
function namesOf(holder) {
  const names = new Set();
  for (let each = holder; each && each !== Object.prototype; each = Object.getPrototypeOf(each)) {
    for (const name of Object.getOwnPropertyNames(each)) if (!/^_|^constructor$/.test(name)) names.add(name);
  }
  return names;
}

function note(holder, name, place) {
  const method = holder[name];
  found.set(place, found.get(place) ?? false);
  const noted = function (...given) {
    found.set(place, true);
    return method.apply(this, given);
  };
  Object.defineProperty(holder, name, { value: noted, configurable: true, writable: true });
}
