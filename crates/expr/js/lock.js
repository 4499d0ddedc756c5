// Expressions share one instance for a run. This keeps one from changing the world of the next, and refuses the names that n8n refuses.

const { FORBIDDEN, refuse, original } = heddle;
const { defineProperty, freeze, getOwnPropertyNames, getPrototypeOf } = original;

const constructors = [
  Object, Function, Array, String, Number, Boolean, Symbol, BigInt, Date, RegExp, Map, Set, WeakMap, WeakSet, Promise, ArrayBuffer, DataView, Error,
  TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError, AggregateError, heddle.ExpressionError, heddle.ExpressionExtensionError,
  getPrototypeOf(Int8Array), Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array, Float32Array, Float64Array,
  BigInt64Array, BigUint64Array, heddle.luxon.DateTime, heddle.luxon.Duration, heddle.luxon.Interval, globalThis.SharedArrayBuffer,
].filter(Boolean);
// Their built-in methods look the constructor up; with undefined they take the default.
const species = new Set([Array, Promise, RegExp, ArrayBuffer, getPrototypeOf(Int8Array)]);
const functionPrototypes = [function* () {}, async function () {}, async function* () {}].map(getPrototypeOf);
const iterators = [[][Symbol.iterator](), ''[Symbol.iterator](), new Map().entries(), new Set().entries(), ''.matchAll(/x/g)].map(getPrototypeOf);
const spaces = [Math, JSON, Intl, Reflect, globalThis.Atomics].filter(Boolean);
const protectedObjects = ['constructor', '__proto__', '__defineGetter__', '__defineSetter__', '__lookupGetter__', '__lookupSetter__'];
const refusedStatics = ['defineProperty', 'defineProperties', 'getPrototypeOf', 'setPrototypeOf', 'getOwnPropertyDescriptor', 'getOwnPropertyDescriptors'];

const refuser = (name) => ({ configurable: false, enumerable: false, get: () => refuse(name), set: () => refuse(name) });
const refusers = Object.fromEntries([...protectedObjects, ...refusedStatics, 'prepareStackTrace'].map((name) => [name, refuser(name)]));

/** Lets an assignment give an object a field of its own under an inherited name; the frozen prototype alone would refuse it. */
const allowOwnFields = (prototype) => {
  for (const name of getOwnPropertyNames(prototype)) {
    const { value, writable, configurable } = lookup(prototype, name);
    if (!writable || !configurable) continue;
    defineProperty(prototype, name, {
      configurable: false,
      enumerable: false,
      get: () => value,
      set(own) {
        defineProperty(this, name, { value: own, writable: true, configurable: true, enumerable: true });
      },
    });
  }
};

heddle.entries.enterExpressions = () => {
  for (const Class of constructors) {
    if (Class === Object) continue;
    if (species.has(Class)) defineProperty(Class.prototype, 'constructor', { value: undefined });
    else delete Class.prototype.constructor;
  }
  for (const prototype of functionPrototypes) delete prototype.constructor;
  for (const name of protectedObjects) defineProperty(Object.prototype, name, refusers[name]);
  for (const name of refusedStatics) defineProperty(Object, name, refusers[name]);
  delete Error.captureStackTrace;
  delete Error.stackTraceLimit;
  for (const Class of [Error, TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError]) {
    defineProperty(Class, 'prepareStackTrace', refusers.prepareStackTrace);
  }
  for (const prototype of [Object.prototype, Error.prototype]) allowOwnFields(prototype);
  for (const Class of constructors) {
    freeze(Class);
    freeze(Class.prototype);
  }
  for (const object of functionPrototypes) freeze(object);
  for (const object of iterators) freeze(object);
  for (const object of spaces) freeze(object);
  for (const name of getOwnPropertyNames(globalThis)) {
    const { configurable, writable } = lookup(globalThis, name);
    if (configurable && writable) defineProperty(globalThis, name, { writable: false, configurable: false });
  }
};
const lookup = Object.getOwnPropertyDescriptor;
