// What code may use beyond expressions: timers, the console, requests, the helpers of n8n.

const { host, format, codeGlobals: globals, Buffer } = heddle;

// ---- calls that take time ----

const waiting = new Map();
let lastCall = 0;
/** Asks the host for something that takes time. */
const request = (name, argument) =>
  new Promise((resolve, reject) => {
    const id = ++lastCall;
    waiting.set(id, { resolve, reject });
    host(66, id, name, argument);
  });
heddle.request = request;

const timers = new Map();
const startTimer = (work, delay, args, again) => {
  const id = ++lastCall;
  timers.set(id, { work, args, delay: Math.max(0, Number(delay) || 0), again });
  host(67, id, timers.get(id).delay);
  return id;
};
const stopTimer = (id) => {
  timers.delete(Number(id));
};

/** The host has an answer: settles the promise or runs the timer. */
heddle.entries.settle = (id, value, failed) => {
  const timer = timers.get(id);
  if (timer) {
    if (timer.again) host(67, id, timer.delay);
    else timers.delete(id);
    timer.work(...timer.args);
    return;
  }
  const call = waiting.get(id);
  if (!call) return;
  waiting.delete(id);
  if (failed) {
    const error = new Error(value.message);
    if (value.name) error.name = value.name;
    Object.assign(error, value.fields);
    heddle.hide(error, 'heddleError', value.number);
    call.reject(error);
  } else call.resolve(value);
};

Object.assign(globals, {
  setTimeout: (work, delay, ...args) => startTimer(work, delay, args, false),
  setInterval: (work, delay, ...args) => startTimer(work, Math.max(1, Number(delay) || 0), args, true),
  setImmediate: (work, ...args) => startTimer(work, 0, args, false),
  clearTimeout: stopTimer,
  clearInterval: stopTimer,
  clearImmediate: stopTimer,
});

// ---- the console ----

const log = (level) => (...args) => host(61, level, format(...args));
const console = { log: log('log'), info: log('info'), warn: log('warn'), error: log('error'), debug: log('debug'), trace: log('debug'), dir: log('log'), table: log('log') };
for (const name of ['time', 'timeEnd', 'timeLog', 'group', 'groupEnd', 'count', 'assert', 'clear']) console[name] = () => undefined;
globals.console = console;

globals.structuredClone = (value) => {
  const seen = new Map();
  const copy = (from) => {
    if (typeof from === 'function' || typeof from === 'symbol') throw new Error(`${String(from)} could not be cloned.`);
    if (from === null || typeof from !== 'object') return from;
    if (seen.has(from)) return seen.get(from);
    if (from instanceof Date) return new Date(from.getTime());
    if (from instanceof RegExp) return new RegExp(from.source, from.flags);
    if (ArrayBuffer.isView(from)) return from.slice();
    const to = Array.isArray(from) ? [] : from instanceof Map ? new Map() : from instanceof Set ? new Set() : {};
    seen.set(from, to);
    if (from instanceof Map) for (const [key, entry] of from) to.set(copy(key), copy(entry));
    else if (from instanceof Set) for (const entry of from) to.add(copy(entry));
    else for (const key of Object.keys(from)) to[key] = copy(from[key]);
    return to;
  };
  return copy(value);
};

// ---- requests ----

class Headers {
  #map = new Map();
  constructor(init = {}) {
    for (const [key, value] of init instanceof Headers || Array.isArray(init) ? init : Object.entries(init)) this.append(key, value);
  }
  append(key, value) {
    const name = String(key).toLowerCase();
    this.#map.set(name, this.#map.has(name) ? `${this.#map.get(name)}, ${value}` : String(value));
  }
  set(key, value) {
    this.#map.set(String(key).toLowerCase(), String(value));
  }
  get(key) {
    const value = this.#map.get(String(key).toLowerCase());
    return value === undefined ? null : value;
  }
  has(key) {
    return this.#map.has(String(key).toLowerCase());
  }
  delete(key) {
    this.#map.delete(String(key).toLowerCase());
  }
  forEach(visit) {
    for (const [key, value] of this.#map) visit(value, key, this);
  }
  keys() {
    return this.#map.keys();
  }
  entries() {
    return this.#map.entries();
  }
  [Symbol.iterator]() {
    return this.#map.entries();
  }
}

class Response {
  #bytes;
  constructor(answer) {
    this.status = answer.status;
    this.statusText = answer.statusText || '';
    this.ok = answer.status >= 200 && answer.status < 300;
    this.url = answer.url || '';
    this.redirected = Boolean(answer.redirected);
    this.headers = new Headers(answer.headers || {});
    this.#bytes = Buffer.from(answer.bodyBase64 === undefined ? String(answer.body === undefined ? '' : answer.body) : answer.bodyBase64, answer.bodyBase64 === undefined ? 'utf8' : 'base64');
  }
  async text() {
    return this.#bytes.toString();
  }
  async json() {
    return JSON.parse(this.#bytes.toString());
  }
  async arrayBuffer() {
    return this.#bytes.buffer.slice(this.#bytes.byteOffset, this.#bytes.byteOffset + this.#bytes.byteLength);
  }
  async bytes() {
    return new Uint8Array(this.#bytes);
  }
}

const fetch = async (address, options = {}) => {
  const { body } = options;
  const headers = Object.fromEntries(new Headers(options.headers || {}));
  const call = { url: String(address && address.href ? address.href : address), method: String(options.method || 'GET').toUpperCase(), headers };
  if (typeof body === 'string') call.body = body;
  else if (body instanceof globals.URLSearchParams) {
    call.body = body.toString();
    if (!headers['content-type']) headers['content-type'] = 'application/x-www-form-urlencoded;charset=UTF-8';
  } else if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer) call.bodyBase64 = Buffer.from(body).toString('base64');
  else if (body !== undefined && body !== null) call.body = String(body);
  return new Response(await request('fetch', call));
};
Object.assign(globals, { fetch, Headers, Response });

// ---- n8n's helpers ----

const MIME = {
  txt: 'text/plain', csv: 'text/csv', html: 'text/html', htm: 'text/html', xml: 'text/xml', json: 'application/json', pdf: 'application/pdf', zip: 'application/zip',
  gz: 'application/gzip', png: 'image/png', jpg: 'image/jpeg', jpeg: 'image/jpeg', gif: 'image/gif', svg: 'image/svg+xml', webp: 'image/webp', mp3: 'audio/mpeg',
  wav: 'audio/wav', mp4: 'video/mp4', md: 'text/markdown', js: 'text/javascript', css: 'text/css', ics: 'text/calendar', xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
};
const helpers = {
  httpRequest: (options) => request('httpRequest', typeof options === 'string' ? { url: options } : options),
  request: (options) => request('request', typeof options === 'string' ? { url: options } : options),
  httpRequestWithAuthentication: (type, options) => request('httpRequestWithAuthentication', { type, options }),
  requestWithAuthentication: (type, options) => request('requestWithAuthentication', { type, options }),
  getBinaryDataBuffer: async (index, property) => {
    const bytes = host(68, index, String(property === undefined ? 'data' : property));
    if (bytes === undefined) throw new Error(`There is no file '${property}' in item ${index}`);
    return Buffer.from(bytes);
  },
  prepareBinaryData: async (data, fileName, mimeType) => {
    const buffer = typeof data === 'string' ? Buffer.from(data) : Buffer.from(data);
    const extension = fileName && fileName.includes('.') ? fileName.split('.').pop().toLowerCase() : undefined;
    const file = { data: buffer.toString('base64'), mimeType: mimeType || MIME[extension] || 'text/plain' };
    if (extension) file.fileExtension = extension;
    if (fileName) file.fileName = fileName;
    return file;
  },
  binaryToBuffer: async (data) => Buffer.from(data),
  binaryToString: async (data, encoding) => Buffer.from(data).toString(encoding),
  returnJsonArray: (data) => (Array.isArray(data) ? data : [data]).map((entry) => (entry && entry.json ? entry : { json: entry })),
  normalizeItems: (items) => [].concat(items),
};
heddle.helpers = helpers;
globals.$helpers = helpers;

const staticData = {};
const getWorkflowStaticData = (type) => {
  const name = String(type);
  if (name !== 'global' && name !== 'node') throw new Error(`Static data is kept as "global" or "node", not as "${type}"`);
  if (!staticData[name]) staticData[name] = host(69, name) || {};
  return staticData[name];
};
/** Hands back what the code may have changed. */
heddle.returnStaticData = () => {
  for (const name of Object.keys(staticData)) host(70, name, staticData[name]);
};
globals.$getWorkflowStaticData = getWorkflowStaticData;
globals.getWorkflowStaticData = getWorkflowStaticData;

const customData = {};
const customDataHandle = {
  set: (key, value) => {
    customData[key] = String(value);
    host(71, String(key), String(value));
  },
  setAll: (object) => {
    for (const [key, value] of Object.entries(object)) customDataHandle.set(key, value);
  },
  get: (key) => customData[key],
  getAll: () => ({ ...customData }),
};
heddle.customData = customDataHandle;

/** Code that a model wrote gets these instead of n8n's helpers. */
heddle.toolGlobals = {
  uuid: () => host(34),
  sleep: (delay) => new Promise((resolve) => startTimer(resolve, delay, [], false)),
  getSecret: (name) => request('getSecret', { name: String(name) }),
  workspace: Object.freeze({
    read: (path) => request('workspace.read', { path: String(path) }),
    write: (path, content) => request('workspace.write', { path: String(path), content }),
    list: (path = '.') => request('workspace.list', { path: String(path) }),
  }),
};
