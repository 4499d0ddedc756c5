// Extension functions of arrays and objects.

const { ExpressionExtensionError, isEqual, FORBIDDEN, refuse } = heddle;
const { Array: list, Object: object } = heddle.extensions;
const { DateTime } = heddle.luxon;
const fail = (message) => {
  throw new ExpressionExtensionError(message);
};
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date) && !DateTime.isDateTime(value);
const nothing = () => undefined;

/** Sets a field of whatever name: an assignment would fail where the frozen prototype has one of that name. */
const setField = (target, name, value) => heddle.original.defineProperty(target, name, { value, writable: true, configurable: true, enumerable: true });

// ---- arrays ----

list.first = (value) => value[0];
list.last = (value) => value[value.length - 1];
list.isEmpty = (value) => value.length === 0;
list.isNotEmpty = (value) => value.length > 0;
list.toJsonString = (value) => JSON.stringify(value);
list.append = (value, elements) => value.concat(elements);
list.randomItem = (value) => value[Math.floor(Math.random() * value.length)];

const numeric = (name, value) => (value.every((element) => typeof element === 'number') ? value : fail(`${name}(): all array elements must be numbers`));
list.sum = (value) => numeric('sum', value).reduce((sum, element) => sum + element, 0);
list.min = (value) => Math.min(...numeric('min', value));
list.max = (value) => Math.max(...numeric('max', value));
list.average = (value) => (value.length === 0 ? 0 : numeric('average', value).reduce((sum, element) => sum + element, 0) / value.length);

const uniqueBy = (value, keep) => {
  const result = [];
  for (const element of value) if (!result.some((kept) => keep(kept, element))) result.push(element);
  return result;
};
list.unique = (value, keys) => {
  if (keys.length === 0) {
    const simple = new Set();
    const rest = [];
    return value.filter((element) => {
      if (element === null || typeof element !== 'object') return simple.has(element) ? false : simple.add(element);
      if (rest.some((kept) => isEqual(kept, element))) return false;
      rest.push(element);
      return true;
    });
  }
  const names = keys.flat();
  const isPlain = (element) => element === null || typeof element !== 'object';
  const pick = (element) => names.map((name) => element[name]);
  return uniqueBy(value, (a, b) => (isPlain(a) || isPlain(b) ? isEqual(a, b) : isEqual(pick(a), pick(b))));
};
list.removeDuplicates = list.unique;
list.union = (value, [others]) => {
  if (!Array.isArray(others)) fail('union() needs an array to compare with');
  return uniqueBy(value.concat(others), isEqual);
};
list.difference = (value, [others]) => {
  if (!Array.isArray(others)) fail('difference() needs an array to compare with');
  return uniqueBy(value.filter((element) => !others.some((other) => isEqual(element, other))), isEqual);
};
list.intersection = (value, [others]) => {
  if (!Array.isArray(others)) fail('intersection() needs an array to compare with');
  return uniqueBy(value.filter((element) => others.some((other) => isEqual(element, other))), isEqual);
};
list.chunk = (value, [size]) => {
  if (typeof size !== 'number' || !(size >= 1)) fail('chunk() needs a size of at least 1');
  const result = [];
  for (let i = 0; i < value.length; i += size) result.push(value.slice(i, i + size));
  return result;
};
const isNothing = (value) => value === null || value === undefined || value === '' || value === 'nil';
// Lists and dates inside count as objects here: lists come out with their positions as names, dates are empty.
const hasFields = (value) => value !== null && typeof value === 'object';
const compactElement = (element) => (hasFields(element) ? object.compact(element) : element);
const isEmptyElement = (element) => isNothing(element) || (hasFields(element) && Object.keys(element).length === 0);
list.compact = (value) => value.filter((element) => !isEmptyElement(element)).map(compactElement);
list.pluck = (value, keys) => {
  if (keys.length === 0) return value;
  return value.reduce((result, element) => {
    if (element !== null && typeof element === 'object') {
      const found = Object.keys(element).filter((key) => keys.includes(key)).map((key) => element[key]);
      if (found.length > 0) result.push(found.length === 1 ? found[0] : found);
    }
    return result;
  }, []);
};
list.renameKeys = (value, pairs) => {
  if (pairs.length === 0 || pairs.length % 2 !== 0) fail('renameKeys() needs pairs of names: the old one, then the new one');
  for (const name of pairs) if (FORBIDDEN.has(String(name))) refuse(String(name));
  return value.map((element) => {
    if (!hasFields(element)) return element;
    const renamed = { ...element };
    for (let i = 0; i < pairs.length; i += 2) {
      if (!Object.prototype.hasOwnProperty.call(renamed, pairs[i]) || pairs[i] === pairs[i + 1]) continue;
      const field = renamed[pairs[i]];
      delete renamed[pairs[i]];
      setField(renamed, pairs[i + 1], field);
    }
    return renamed;
  });
};
list.smartJoin = (value, [keyField, valueField]) => {
  if (!keyField || !valueField || typeof keyField !== 'string' || typeof valueField !== 'string') fail('smartJoin() needs the names of two fields: one for the keys, one for the values');
  const result = {};
  for (const element of value) {
    if (isObject(element) && keyField in element && valueField in element) {
      const key = String(element[keyField]);
      if (FORBIDDEN.has(key)) refuse(key);
      setField(result, key, element[valueField]);
    }
  }
  return result;
};
/** The first of several fields of one name counts, and what every object inherits is a field already. */
const mergeFirst = (elements) => {
  const result = {};
  for (const element of elements) {
    if (!isObject(element)) continue;
    for (const key of Object.keys(element)) if (!(key in result)) setField(result, key, element[key]);
  }
  return result;
};
/** All fields of the first one, and those of the second one that it has not. Lists give their elements, by their positions. */
const mergePair = (first, second) => {
  if (!hasFields(first)) return { ...second };
  const result = { ...first };
  if (hasFields(second)) for (const key of Object.keys(second)) if (!(key in result)) setField(result, key, second[key]);
  return result;
};
/** Of several fields of one name the last one counts. */
const mergeLast = (elements) => {
  const result = {};
  for (const element of elements) for (const key of Object.keys(element)) setField(result, key, element[key]);
  return result;
};
list.mergeIntoObject = (value, [others]) => {
  if (!Array.isArray(others)) fail('mergeIntoObject() needs an array of objects to merge');
  const length = Math.max(value.length, others.length);
  const pairs = [];
  for (let i = 0; i < length; i++) pairs.push(mergePair(value[i], hasFields(others[i]) ? others[i] : undefined));
  return mergeLast(pairs);
};
list.merge = (value, [others]) => {
  if (others === undefined) return mergeFirst(value);
  if (!Array.isArray(others)) fail('merge() of an array needs another array');
  const length = Math.min(value.length, others.length);
  const pairs = [];
  for (let i = 0; i < length; i++) {
    if (typeof value[i] === 'object' && typeof others[i] === 'object') pairs.push(mergePair(value[i], others[i]));
  }
  return mergeLast(pairs);
};
// In expressions it leaves the list as it is.
list.reverse = (value) => [...value].reverse();
list.toInt = list.toFloat = list.toNumber = list.toBoolean = list.toDateTime = list.toDate = nothing;
list.toWholeNumber = list.toDecimalNumber = nothing;

// ---- objects ----

object.isEmpty = (value) => Object.keys(value).length === 0;
object.isNotEmpty = (value) => Object.keys(value).length > 0;
object.keys = (value) => Object.keys(value);
object.values = (value) => Object.values(value);
object.hasField = (value, [name]) => name in value;
object.merge = (value, [other]) => {
  if (!isObject(other)) fail('merge() of an object needs another object');
  return mergeFirst([value, other]);
};
object.removeField = (value, [name]) => {
  const copy = { ...value };
  delete copy[name];
  return copy;
};
object.removeFieldsContaining = (value, [part]) => {
  if (typeof part !== 'string' || part === '') fail('removeFieldsContaining() needs a text to look for');
  return Object.fromEntries(Object.entries(value).filter(([, field]) => !(typeof field === 'string' && field.includes(part))));
};
object.keepFieldsContaining = (value, [part]) => {
  if (typeof part !== 'string' || part === '') fail('keepFieldsContaining() needs a text to look for');
  return Object.fromEntries(Object.entries(value).filter(([, field]) => typeof field === 'string' && field.includes(part)));
};
object.compact = (value) => {
  const result = {};
  for (const key of Object.keys(value)) if (!isEmptyElement(value[key])) setField(result, key, compactElement(value[key]));
  return result;
};
const formEncode = (text) => encodeURIComponent(text).replace(/[!'()~]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`).replace(/%20/g, '+');
heddle.formEncode = formEncode;
object.urlEncode = (value) => Object.entries(value).map(([key, field]) => `${formEncode(key)}=${formEncode(String(field))}`).join('&');
object.toJsonString = (value) => JSON.stringify(value);
object.toInt = object.toFloat = object.toNumber = object.toBoolean = object.toDateTime = object.toDate = nothing;
object.toWholeNumber = object.toDecimalNumber = nothing;
