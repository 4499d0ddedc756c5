// Buffer, TextEncoder, TextDecoder, atob, btoa and crypto as code in n8n uses them. The host does the work on bytes.

const { host, hide } = heddle;
const globals = (heddle.codeGlobals = {});

const toText = (encoding, bytes) => {
  const text = host(36, encoding, bytes);
  if (text === undefined) throw new TypeError(`Unknown encoding: ${encoding}`);
  return text;
};
const toBytes = (encoding, text) => {
  const bytes = host(37, encoding, text);
  if (bytes === undefined) throw new TypeError(`Unknown encoding: ${encoding}`);
  return bytes;
};
const view = (bytes) => new Buffer(bytes.buffer, bytes.byteOffset, bytes.byteLength);

class Buffer extends Uint8Array {
  static from(value, encoding = 'utf8', length) {
    if (typeof value === 'string') return view(toBytes(encoding, value));
    if (value instanceof ArrayBuffer) return new Buffer(value, typeof encoding === 'number' ? encoding : 0, length);
    if (ArrayBuffer.isView(value)) {
      const copy = new Buffer(value.byteLength);
      copy.set(new Uint8Array(value.buffer, value.byteOffset, value.byteLength));
      return copy;
    }
    if (Array.isArray(value)) return view(Uint8Array.from(value, (byte) => byte & 255));
    if (value && value.type === 'Buffer' && Array.isArray(value.data)) return Buffer.from(value.data);
    if (value instanceof String) return Buffer.from(String(value), encoding);
    throw new TypeError('The first argument must be of type string or an instance of Buffer, ArrayBuffer, or Array or an Array-like Object.');
  }
  static alloc(size, fill) {
    const buffer = new Buffer(size);
    if (fill !== undefined) buffer.fill(typeof fill === 'string' ? toBytes('utf8', fill)[0] : fill);
    return buffer;
  }
  static allocUnsafe(size) {
    return new Buffer(size);
  }
  static isBuffer(value) {
    return value instanceof Buffer;
  }
  static isEncoding(name) {
    return ['utf8', 'utf-8', 'base64', 'base64url', 'hex', 'latin1', 'binary', 'ascii', 'utf16le', 'ucs2'].includes(String(name).toLowerCase());
  }
  static byteLength(value, encoding = 'utf8') {
    return typeof value === 'string' ? toBytes(encoding, value).length : value.byteLength;
  }
  static concat(list, total) {
    const size = total === undefined ? list.reduce((sum, part) => sum + part.length, 0) : total;
    const result = new Buffer(size);
    let at = 0;
    for (const part of list) {
      if (at >= size) break;
      result.set(part.length > size - at ? part.subarray(0, size - at) : part, at);
      at += part.length;
    }
    return result;
  }
  static compare(a, b) {
    for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return a[i] < b[i] ? -1 : 1;
    return Math.sign(a.length - b.length);
  }
  toString(encoding = 'utf8', start = 0, end = this.length) {
    const part = start === 0 && end >= this.length ? this : this.subarray(start, end);
    return toText(encoding, part);
  }
  toJSON() {
    return { type: 'Buffer', data: Array.from(this) };
  }
  slice(start, end) {
    return this.subarray(start, end);
  }
  subarray(start, end) {
    const part = super.subarray(start, end);
    return new Buffer(part.buffer, part.byteOffset, part.byteLength);
  }
  equals(other) {
    return Buffer.compare(this, other) === 0;
  }
  compare(other) {
    return Buffer.compare(this, other);
  }
  copy(target, at = 0, start = 0, end = this.length) {
    const part = this.subarray(start, Math.min(end, start + target.length - at));
    target.set(part, at);
    return part.length;
  }
  write(text, at = 0, encoding = 'utf8') {
    const bytes = toBytes(typeof at === 'string' ? at : encoding, text);
    const offset = typeof at === 'number' ? at : 0;
    const part = bytes.subarray(0, Math.max(0, this.length - offset));
    this.set(part, offset);
    return part.length;
  }
  indexOf(value, from = 0) {
    if (typeof value === 'number') return super.indexOf(value, from);
    const wanted = typeof value === 'string' ? toBytes('utf8', value) : value;
    for (let i = from; i + wanted.length <= this.length; i++) {
      let j = 0;
      while (j < wanted.length && this[i + j] === wanted[j]) j++;
      if (j === wanted.length) return i;
    }
    return -1;
  }
  includes(value, from) {
    return this.indexOf(value, from) !== -1;
  }
  readUInt8(at = 0) {
    return this[at];
  }
  readUInt16BE(at = 0) {
    return (this[at] << 8) | this[at + 1];
  }
  readUInt16LE(at = 0) {
    return this[at] | (this[at + 1] << 8);
  }
  readUInt32BE(at = 0) {
    return ((this[at] << 24) | (this[at + 1] << 16) | (this[at + 2] << 8) | this[at + 3]) >>> 0;
  }
  readUInt32LE(at = 0) {
    return ((this[at + 3] << 24) | (this[at + 2] << 16) | (this[at + 1] << 8) | this[at]) >>> 0;
  }
  readInt32BE(at = 0) {
    return this.readUInt32BE(at) | 0;
  }
}
globals.Buffer = Buffer;
heddle.Buffer = Buffer;

class TextEncoder {
  get encoding() {
    return 'utf-8';
  }
  encode(text = '') {
    return new Uint8Array(toBytes('utf8', String(text)));
  }
}
class TextDecoder {
  #encoding;
  constructor(encoding = 'utf-8') {
    this.#encoding = String(encoding).toLowerCase();
  }
  get encoding() {
    return this.#encoding;
  }
  decode(value) {
    if (value === undefined) return '';
    const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
    return toText(this.#encoding, bytes).replace(/^\ufeff/, '');
  }
}
Object.assign(globals, {
  TextEncoder,
  TextDecoder,
  btoa: (text) => {
    const value = String(text);
    for (let i = 0; i < value.length; i++) if (value.charCodeAt(i) > 255) throw new Error('Invalid character');
    return toText('base64', toBytes('latin1', value));
  },
  atob: (text) => toText('latin1', toBytes('base64', String(text))),
});

// ---- crypto ----

const bytesOf = (value, encoding) => (typeof value === 'string' ? toBytes(encoding || 'utf8', value) : Buffer.from(value));
class Sum {
  #parts = [];
  #finish;
  constructor(finish) {
    this.#finish = finish;
  }
  update(data, encoding) {
    this.#parts.push(bytesOf(data, encoding));
    return this;
  }
  digest(encoding) {
    const result = view(this.#finish(Buffer.concat(this.#parts)));
    return encoding ? result.toString(encoding) : result;
  }
}
const known = (bytes) => {
  if (bytes === undefined) throw new Error('Digest method not supported');
  return bytes;
};
const crypto = {
  createHash: (algorithm) => (known(host(30, String(algorithm), '')), new Sum((data) => host(30, String(algorithm), data))),
  createHmac: (algorithm, key) => {
    const keyBytes = bytesOf(key);
    known(host(39, String(algorithm), keyBytes, ''));
    return new Sum((data) => host(39, String(algorithm), keyBytes, data));
  },
  randomUUID: () => host(34),
  randomBytes: (size) => view(host(35, size)),
  randomInt: (low, high) => {
    const [from, until] = high === undefined ? [0, low] : [low, high];
    return from + Math.floor(Math.random() * (until - from));
  },
  getRandomValues: (array) => {
    array.set(host(35, array.byteLength).subarray(0, array.length));
    return array;
  },
  timingSafeEqual: (a, b) => Buffer.compare(a, b) === 0,
  getHashes: () => ['md5', 'sha1', 'sha224', 'sha256', 'sha384', 'sha512', 'ripemd160', 'sha3-256', 'sha3-512'],
};
crypto.webcrypto = crypto;
globals.crypto = crypto;
