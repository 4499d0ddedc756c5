// Calls of extension functions: finds the function for the type of a value, as n8n does.

const { hide, ExpressionError, ExpressionExtensionError, FORBIDDEN, refuse } = heddle;
const { DateTime } = heddle.luxon;
const hasOwn = (object, key) => Object.prototype.hasOwnProperty.call(object, key);

/** Functions by type; each takes the value and the list of arguments. */
const tables = (heddle.extensions = {
  Array: Object.create(null),
  String: Object.create(null),
  Number: Object.create(null),
  Date: Object.create(null),
  Object: Object.create(null),
  Boolean: Object.create(null),
});

function tableOf(input) {
  if (Array.isArray(input)) return tables.Array;
  if (typeof input === 'string') return tables.String;
  if (typeof input === 'number') return tables.Number;
  if (typeof input === 'boolean') return tables.Boolean;
  if (input instanceof Date || DateTime.isDateTime(input)) return tables.Date;
  if (input !== null && typeof input === 'object') return tables.Object;
  return undefined;
}

function extend(input, name, args) {
  const key = typeof name === 'string' ? name : String(name);
  if (FORBIDDEN.has(key)) refuse(key);
  const table = tableOf(input);
  const found = table && table[key];
  if (found) return found(input, args);
  if (input === undefined || input === null) throw new ExpressionExtensionError(`${key} can't be used on ${input} value`);
  // Often a method of the value itself that another type has as an extension.
  if (typeof input[key] === 'function') return input[key](...args);
  const types = Object.keys(tables).filter((type) => tables[type][key]).map((type) => `"${type}"`);
  if (types.length === 0) throw new ExpressionExtensionError(`There is no function ${key}()`);
  const last = types.pop();
  if (types.length === 0) throw new ExpressionExtensionError(`${key}() works on values of type ${last} only`);
  throw new ExpressionExtensionError(`${key}() works on values of type ${types.join(', ')} and ${last} only`);
}

hide(globalThis, 'extend', (input, name, args) => extend(input, name, Array.isArray(args) ? args : []));
hide(globalThis, 'extendOptional', (input, name) => {
  const key = String(name);
  if (FORBIDDEN.has(key)) refuse(key);
  const table = tableOf(input);
  if (table && table[key]) return (...args) => table[key](input, args);
  const own = input === undefined || input === null ? undefined : input[key];
  return typeof own === 'function' ? own.bind(input) : undefined;
});

/** Makes `value.__x_name(…)`, into which the host rewrites calls, work for every extension. Called once all are there. */
heddle.installExtensions = () => {
  const names = new Set(Object.values(tables).flatMap((table) => Object.keys(table)));
  for (const name of names) {
    hide(Object.prototype, `__x_${name}`, function (...args) {
      return extend(this, name, args);
    });
  }
};

// Calls of these two become calls with the value in front, because nothing has no methods.
const isNothing = (value) => value === undefined || value === null;
hide(globalThis, '__x_isEmptyOrNothing', (value) => isNothing(value) || extend(value, 'isEmpty', []));
hide(globalThis, '__x_isNotEmptyAndSomething', (value) => !isNothing(value) && extend(value, 'isNotEmpty', []));

/** Deep equality, as lodash has it for plain data. */
heddle.isEqual = function isEqual(a, b) {
  if (a === b || (a !== a && b !== b)) return true;
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false;
  if (a instanceof Date && b instanceof Date) return a.getTime() === b.getTime();
  if (DateTime.isDateTime(a) && DateTime.isDateTime(b)) return a.toMillis() === b.toMillis();
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => hasOwn(b, key) && isEqual(a[key], b[key]));
};

// ---- the functions that stand alone ----

const min = (...args) => Math.min(...args);
const max = (...args) => Math.max(...args);
const average = (...args) => tables.Array.average(args);
const not = (value) => !value;
const ifEmpty = (...args) => {
  if (args.length !== 2) throw new ExpressionError('$ifEmpty() needs two arguments: the value, and what to take if it is empty');
  const [value, fallback] = args;
  if (value === undefined || value === null || value === '') return fallback;
  if (typeof value === 'object' && !(value instanceof Date) && !DateTime.isDateTime(value)) {
    if (Array.isArray(value) && value.length === 0) return fallback;
    if (Object.keys(value).length === 0) return fallback;
  }
  return value;
};
const numberList = (start, end) => {
  const size = Math.abs(end - start) + 1;
  const step = start < end ? 1 : -1;
  if (!Number.isInteger(size)) throw new RangeError('the length of a list is a whole number');
  return Array.from({ length: size }, (_, index) => start + index * step);
};
const zip = (keys, values) => {
  if (!Array.isArray(keys) || !Array.isArray(values)) throw new ExpressionExtensionError('keys and values must be arrays');
  if (keys.length !== values.length) throw new ExpressionExtensionError('zip() needs as many values as keys');
  const result = {};
  for (let i = 0; i < keys.length; i++) {
    if (FORBIDDEN.has(String(keys[i]))) refuse(String(keys[i]));
    result[keys[i]] = values[i];
  }
  return result;
};
for (const [name, value] of Object.entries({ min, max, average, not, numberList, zip, $min: min, $max: max, $average: average, $not: not, $ifEmpty: ifEmpty })) {
  hide(globalThis, name, value);
}
