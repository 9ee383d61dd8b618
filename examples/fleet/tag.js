// The tag of the project that a request names, for nginx with njs: what haproxy.cfg says in its own words.
import crypto from 'crypto';

const KEY = /^[sp]k_(?:test|live)_(.+)$/;

function tagOf(name) {
  return crypto.createHash('sha1').update(name).digest('hex').slice(0, 6);
}

function decode(text, encoding) {
  return Buffer.from(text, encoding).toString();
}

/** The name of a new project: in the body, or that of a key in it, or else one that is drawn here. */
function newName(r) {
  let body = {};
  try {
    body = JSON.parse(r.variables.request_body) || {};
  } catch (error) {
    // The server says what is wrong with it.
  }
  const key = KEY.exec(body.secret_key || body.publishable_key || '');
  return String(body.name || (key && key[1]) || r.variables.request_id);
}

/** What `Authorization` has, without its scheme. */
function credential(headers) {
  const given = headers.Authorization || '';
  const last = given.slice(given.lastIndexOf(' ') + 1);
  return /^basic /i.test(given) ? decode(last, 'base64').split(':')[0] : last;
}

function key(r, given) {
  const headers = r.headersIn;
  const sent = [given, headers['X-Project-Key'], (headers['X-Api-Key'] || '').split(' ').pop()];
  return r.uri.split('/').concat(sent).map((text) => KEY.exec(text || '')).find((found) => found);
}

/** What shows a tag at its beginning, of a request without a key: a link, the token of a session, a cookie. */
function token(r, given) {
  const link = /^\/iam\/v2\/auth\/reset-password\/(.+)$/.exec(r.uri);
  if (link) {
    return link[1];
  }
  if (r.args.token || r.args.state) {
    return r.args.token || r.args.state;
  }
  if (given.startsWith('eyJ')) {
    try {
      return JSON.parse(decode(given.split('.')[1], 'base64url')).sid;
    } catch (error) {
      return given;
    }
  }
  const cookie = /(?:^|[;, ])(?:__Secure-)?better-auth\.session_token=([^;, ]+)/.exec(r.headersIn.Cookie || '');
  return given || (cookie ? cookie[1] : '');
}

function tag(r) {
  if (r.method === 'POST' && r.uri === '/_mock/projects') {
    return tagOf(newName(r));
  }
  const id = /^\/_mock\/projects\/pro_(.{6})/.exec(r.uri) || /^pro_(.{6})/.exec(r.args.project || r.args.projects || '');
  if (id) {
    return id[1];
  }
  const given = credential(r.headersIn);
  const found = key(r, given);
  return found ? tagOf(found[1]) : String(token(r, given)).slice(0, 6);
}

export default { tag };
