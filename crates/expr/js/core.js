// The ground of everything in the guest: originals of built-in functions, errors, and how values cross the border.

const { host } = heddle;
// `this` of expressions: n8n's data, of which nothing is there.
const receiver = { process: Object.freeze({}), require: Object.freeze({}), module: Object.freeze({}), Buffer: Object.freeze({}) };
const entries = (heddle.entries = { objectPrototype: Object.prototype, receiver: Object.freeze(receiver) });

// Later code may change what these names hold; what is kept here stays.
const { defineProperty, getPrototypeOf, keys, create, freeze, getOwnPropertyNames } = Object;
const isArray = Array.isArray;
const stringify = JSON.stringify;
heddle.original = { defineProperty, getPrototypeOf, keys, create, freeze, getOwnPropertyNames, isArray, stringify, eval: globalThis.eval };

// The same text repeated as often as the last time is the same string: a list of generated items would hold a copy for each.
const { repeat: plainRepeat } = String.prototype;
const repeated = { text: '', count: 0, result: '' };
defineProperty(String.prototype, 'repeat', {
  writable: true,
  configurable: true,
  value: {
    repeat(count) {
      if (typeof this !== 'string' || typeof count !== 'number') return plainRepeat.call(this, count);
      if (repeated.text !== this || repeated.count !== count) {
        repeated.result = plainRepeat.call(this, count);
        repeated.text = this;
        repeated.count = count;
      }
      return repeated.result;
    },
  }.repeat,
});

// `Array.from({ length: n })` is how lists are begun; the built-in one looks every missing element up.
const { from: plainFrom } = Array;
const isOnlyLength = (source) => {
  if (source === null || typeof source !== 'object' || getPrototypeOf(source) !== Object.prototype) return false;
  const names = keys(source);
  return names.length === 1 && names[0] === 'length' && typeof source.length === 'number' && source.length >= 0 && source.length <= 1e6;
};
defineProperty(Array, 'from', {
  writable: true,
  configurable: true,
  value: {
    from(source, ...rest) {
      if (this !== Array || !isOnlyLength(source)) return plainFrom.call(this, source, ...rest);
      const list = new Array(source.length | 0).fill(undefined);
      return rest.length === 0 || rest[0] === undefined ? list : plainFrom.call(this, list, ...rest);
    },
  }.from,
});

// Functions of the language are written as V8 writes them, and those that stand for some are not shown.
const natives = (heddle.natives = new WeakSet([Array.from, String.prototype.repeat]));
const { toString: plainToString } = Function.prototype;
// These are wrapped in n8n, and so have no name.
const unnamed = new WeakSet([Object, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]);
const functionToString = {
  toString() {
    if (unnamed.has(this)) return 'function () { [native code] }';
    if (natives.has(this)) return `function ${this.name}() { [native code] }`;
    return plainToString.call(this).replace(/\{\s+\[native code\]\s+\}$/, '{ [native code] }');
  },
}.toString;
natives.add(functionToString);
defineProperty(Function.prototype, 'toString', { writable: true, configurable: true, value: functionToString });

// An error that ends an expression; every other one makes its value undefined.
class ExpressionError extends Error {
  constructor(message, description) {
    super(message);
    this.description = description;
  }
}
class ExpressionExtensionError extends ExpressionError {}
defineProperty(ExpressionError.prototype, 'name', { value: 'ExpressionError', writable: true, configurable: true });
defineProperty(ExpressionExtensionError.prototype, 'name', { value: 'ExpressionExtensionError', writable: true, configurable: true });
heddle.ExpressionError = ExpressionError;
heddle.ExpressionExtensionError = ExpressionExtensionError;

// What the JMESPath library throws. It names its errors itself, so each has a name of its own that can be set.
heddle.JmesPathError = class JmesPathError extends Error {
  constructor(message) {
    super(message);
    defineProperty(this, 'name', { value: 'JMESPathError', writable: true, configurable: true });
  }
};

/** Adds a method that no loop over keys shows. */
heddle.hide = (target, name, value) => defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false });

heddle.hide(globalThis, '__x_this', receiver);

heddle.FORBIDDEN = new Set([
  '__proto__', 'prototype', 'constructor', 'getPrototypeOf', 'setPrototypeOf', 'defineProperty', 'defineProperties', 'getOwnPropertyDescriptor',
  'getOwnPropertyDescriptors', '__defineGetter__', '__defineSetter__', '__lookupGetter__', '__lookupSetter__', 'prepareStackTrace', 'mainModule',
  'binding', '_load', '_linkedBinding', 'getBuiltinModule', 'dlopen', 'execve', 'loadEnvFile', 'caller', 'callee',
]);
heddle.refuse = (name) => {
  throw new ExpressionError(`Cannot access "${name}" due to security concerns`);
};

// ---- values that come in ----

const MARK = '\u0001';
const revivers = (heddle.revivers = {
  undefined: () => undefined,
  number: (text) => Number(text),
  date: (milliseconds) => new Date(milliseconds),
  object: (fields) => {
    const object = {};
    for (let i = 0; i < fields.length; i++) {
      defineProperty(object, fields[i][0], { value: revive(fields[i][1]), writable: true, configurable: true, enumerable: true });
    }
    return object;
  },
  // A file keeps its bytes outside until somebody reads them.
  file: (number, file) => {
    let data;
    delete file.data;
    defineProperty(file, 'data', {
      enumerable: true,
      configurable: true,
      get: () => (data === undefined ? (data = host(18, number)) : data),
      set(value) {
        defineProperty(file, 'data', { value, writable: true, configurable: true, enumerable: true });
      },
    });
    heddle.fileNumbers.set(file, number);
    return file;
  },
});
heddle.fileNumbers = new WeakMap();

/** Replaces what the host marked; see encode.rs. */
function revive(value) {
  if (value === null || typeof value !== 'object') return value;
  if (isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = revive(value[i]);
    return value;
  }
  const names = keys(value);
  if (names.length === 1 && names[0] === MARK) {
    const [kind, first, second] = value[MARK];
    return revivers[kind](first, second);
  }
  for (let i = 0; i < names.length; i++) value[names[i]] = revive(value[names[i]]);
  return value;
}
entries.revive = revive;

// ---- values that go out ----

const dateToISOString = Date.prototype.toISOString;
const dateGetTime = Date.prototype.getTime;

entries.describeDate = (value) => {
  if (value instanceof Date) {
    const time = dateGetTime.call(value);
    return time === time ? ['date', time, dateToISOString.call(value)] : ['invalid'];
  }
  if (value.isLuxonDateTime === true) return value.isValid ? ['luxon', value.toMillis(), value.toISO()] : ['invalid'];
  return undefined;
};

entries.simplify = (value) => {
  if (typeof value.toJSON === 'function') {
    const simple = value.toJSON();
    if (simple !== value) return simple;
  }
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return value.valueOf();
  if (value instanceof Error) return { ...value };
  return value;
};

entries.describeError = (error) => {
  const text = (value) => {
    try {
      return typeof value === 'symbol' ? 'Symbol()' : String(value);
    } catch {
      return '';
    }
  };
  if (error === null || typeof error !== 'object') return ['', typeof error === 'string' ? error : text(error)];
  const name = text(error.name);
  let message = text(error.message);
  const stack = typeof error.stack === 'string' ? error.stack : undefined;
  // A call of an extension on nothing.
  const missing = name === 'TypeError' && /^cannot read property '__x_(\w+)' of (undefined|null)$/.exec(message);
  if (missing) return ['ExpressionExtensionError', `${missing[1]} can't be used on ${missing[2]} value`, stack];
  // In the words of V8, which authors know.
  message = message
    .replace(/__x_(\w)/g, '$1')
    .replace(/^cannot read property 'Symbol.iterator' of (undefined|null)$/, '$1 is not iterable (cannot read property Symbol(Symbol.iterator))')
    .replace(/^cannot (read|set) property '([^]*)' of (undefined|null)$/, (_, verb, key, value) => `Cannot ${verb} properties of ${value} (${verb === 'read' ? 'reading' : 'setting'} '${key}')`)
    .replace(/^'([^']+)' is not defined$/, '$1 is not defined')
    .replace(/^'[^']+' is read-only$/, 'Assignment to constant variable.')
    .replace(/^invalid array length$/, 'Invalid array length')
    .replace(/^expecting hex digit$/, 'URI malformed')
    .replace(/^cannot convert symbol to string$/, 'Cannot convert a Symbol value to a string');
  return [name, message, stack, error.heddleError, error.description === undefined ? undefined : text(error.description)];
};

entries.setZone = () => undefined;
entries.declareVariable = (name) => {
  if (name in globalThis) return;
  defineProperty(globalThis, name, { configurable: true, enumerable: false, get: () => host(16, name), set: () => undefined });
};
entries.enterExpressions = () => undefined;
entries.enterCode = () => undefined;
entries.setLoops = () => undefined;
entries.startCode = () => undefined;
entries.settle = () => undefined;

// ---- data that the guest keeps parsed ----

const slots = [];
/** The object behind a reply of the host: already here, or fetched now. */
heddle.placed = (reply) => {
  if (reply === undefined) return undefined;
  if (reply >= 0) return slots[reply];
  const value = host(2);
  if (reply > -1000) slots[-1 - reply] = value;
  return value;
};


// The image must not repeat random numbers: they come from the host, some at a time.
let drawn;
let left = 0;
const { random } = {
  random() {
    if (left === 0) {
      drawn = new Float64Array(host(33).buffer);
      left = drawn.length;
    }
    return drawn[--left];
  },
};
natives.add(random);
heddle.hide(Math, 'random', random);
