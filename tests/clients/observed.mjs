// Which methods of a client the flows call, out of all that it has.

const found = new Map();

/** The methods of the observed clients by their paths, and whether they were called: `{"policies.list": true}`. */
export const methods = (client) =>
  Object.fromEntries([...found].filter(([key]) => key.startsWith(`${client} `)).map(([key, called]) => [key.slice(client.length + 1), called]));

/** The same client, with the calls of its methods noted, those of its parts too. */
export function observed(client, whole) {
  enumerate(client, whole, "", 0);
  return watched(client, whole, "");
}

function enumerate(client, part, path, depth) {
  for (const name of namesOf(part)) {
    const member = part[name];
    if (typeof member === "function") know(client, path + name);
    else if (isPart(member) && depth < 4) enumerate(client, member, `${path}${name}.`, depth + 1);
  }
}

// Parts are made anew whenever they are asked for, so that nothing can be kept on them.
function watched(client, part, path) {
  return new Proxy(part, {
    get(target, name) {
      const member = target[name];
      if (typeof name !== "string") return member;
      if (typeof member === "function") return noting(client, path + name, member.bind(target));
      return isPart(member) ? watched(client, member, `${path}${name}.`) : member;
    },
  });
}

/** The same part of a client, which the client keeps, with the calls of its own methods noted. */
export function observedPart(client, part, path) {
  for (const name of namesOf(part)) {
    if (typeof part[name] !== "function") continue;
    know(client, path + name);
    const value = noting(client, path + name, part[name].bind(part));
    Object.defineProperty(part, name, { value, configurable: true, writable: true });
  }
}

/** What the members of a part are called, those of its classes too. */
function namesOf(part) {
  const names = new Set();
  for (let each = part; each && each !== Object.prototype; each = Object.getPrototypeOf(each)) {
    for (const name of Object.getOwnPropertyNames(each)) if (!/^_|^constructor$/.test(name)) names.add(name);
  }
  return names;
}

const isPart = (member) => member !== null && typeof member === "object" && !Array.isArray(member);

const know = (client, path) => found.set(`${client} ${path}`, found.get(`${client} ${path}`) ?? false);

const noting = (client, path, method) => (...given) => {
  found.set(`${client} ${path}`, true);
  return method(...given);
};
