// URL and URLSearchParams over the host's parser.

const { host, formEncode, codeGlobals: globals } = heddle;
const formDecode = (text) => {
  const spaced = text.replace(/\+/g, ' ');
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced;
  }
};

class URLSearchParams {
  #pairs = [];
  #changed;
  constructor(init = '', changed) {
    this.#changed = changed;
    if (typeof init === 'string') {
      const text = init.replace(/^\?/, '');
      for (const part of text === '' ? [] : text.split('&')) {
        if (part === '') continue;
        const at = part.indexOf('=');
        this.#pairs.push(at < 0 ? [formDecode(part), ''] : [formDecode(part.slice(0, at)), formDecode(part.slice(at + 1))]);
      }
    } else if (init !== null && init !== undefined) {
      const entries = typeof init[Symbol.iterator] === 'function' ? init : Object.entries(init);
      for (const [key, value] of entries) this.#pairs.push([String(key), String(value)]);
    }
  }
  #notify() {
    if (this.#changed) this.#changed(this.toString());
  }
  get size() {
    return this.#pairs.length;
  }
  append(key, value) {
    this.#pairs.push([String(key), String(value)]);
    this.#notify();
  }
  delete(key) {
    this.#pairs = this.#pairs.filter(([name]) => name !== key);
    this.#notify();
  }
  get(key) {
    const found = this.#pairs.find(([name]) => name === key);
    return found ? found[1] : null;
  }
  getAll(key) {
    return this.#pairs.filter(([name]) => name === key).map(([, value]) => value);
  }
  has(key) {
    return this.#pairs.some(([name]) => name === key);
  }
  set(key, value) {
    const at = this.#pairs.findIndex(([name]) => name === key);
    this.#pairs = this.#pairs.filter(([name], index) => name !== key || index === at);
    if (at < 0) this.#pairs.push([String(key), String(value)]);
    else this.#pairs[this.#pairs.findIndex(([name]) => name === key)][1] = String(value);
    this.#notify();
  }
  sort() {
    this.#pairs.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#notify();
  }
  forEach(visit, receiver) {
    for (const [key, value] of this.#pairs) visit.call(receiver, value, key, this);
  }
  keys() {
    return this.#pairs.map(([key]) => key)[Symbol.iterator]();
  }
  values() {
    return this.#pairs.map(([, value]) => value)[Symbol.iterator]();
  }
  entries() {
    return this.#pairs.map((pair) => [...pair])[Symbol.iterator]();
  }
  [Symbol.iterator]() {
    return this.entries();
  }
  toString() {
    return this.#pairs.map(([key, value]) => `${formEncode(key)}=${formEncode(value)}`).join('&');
  }
}

class URL {
  #parts;
  #params;
  constructor(address, base) {
    const parts = host(38, String(address), base === undefined ? undefined : String(base));
    if (parts === undefined) {
      const error = new TypeError('Invalid URL');
      error.code = 'ERR_INVALID_URL';
      error.input = String(address);
      throw error;
    }
    this.#parts = parts;
  }
  static canParse(address, base) {
    return host(38, String(address), base === undefined ? undefined : String(base)) !== undefined;
  }
  #assemble(changes) {
    const parts = { ...this.#parts, ...changes };
    const login = parts.username ? `${parts.username}${parts.password ? `:${parts.password}` : ''}@` : '';
    const authority = parts.hostname || parts.protocol === 'file:' ? `//${login}${parts.hostname}${parts.port ? `:${parts.port}` : ''}` : '';
    const parsed = host(38, `${parts.protocol}${authority}${parts.pathname}${parts.search}${parts.hash}`);
    if (parsed !== undefined) this.#parts = parsed;
  }
  get searchParams() {
    if (this.#params === undefined) {
      this.#params = new URLSearchParams(this.#parts.search, (text) => this.#assemble({ search: text ? `?${text}` : '' }));
    }
    return this.#params;
  }
  get href() {
    return this.#parts.href;
  }
  get origin() {
    return this.#parts.origin;
  }
  toString() {
    return this.#parts.href;
  }
  toJSON() {
    return this.#parts.href;
  }
  static {
    const prefixed = { search: '?', hash: '#' };
    for (const name of ['protocol', 'username', 'password', 'hostname', 'port', 'pathname', 'search', 'hash']) {
      heddle.original.defineProperty(URL.prototype, name, {
        configurable: true,
        enumerable: true,
        get() {
          return this.#parts[name];
        },
        set(value) {
          let text = String(value);
          if (prefixed[name] && text && !text.startsWith(prefixed[name])) text = prefixed[name] + text;
          if (name === 'protocol' && !text.endsWith(':')) text += ':';
          this.#assemble({ [name]: text });
          if (name === 'search') this.#params = undefined;
        },
      });
    }
    heddle.original.defineProperty(URL.prototype, 'host', {
      configurable: true,
      enumerable: true,
      get() {
        return this.#parts.host;
      },
      set(value) {
        const [hostname, port = ''] = String(value).split(':');
        this.#assemble({ hostname, port });
      },
    });
  }
}
globals.URL = URL;
globals.URLSearchParams = URLSearchParams;
