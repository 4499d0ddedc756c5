// `Atomics` of a single thread: each operation reads, writes, and gives what was there.

const { hide } = heddle;

const place = (list, index) => {
  if (!ArrayBuffer.isView(list) || list instanceof DataView || list instanceof Float32Array || list instanceof Float64Array) {
    throw new TypeError('[object Array] is not an integer typed array.');
  }
  const at = Math.trunc(Number(index)) || 0;
  if (at < 0 || at >= list.length) throw new RangeError('Invalid atomic access index');
  return at;
};
const change = (operation) => (list, index, value) => {
  const at = place(list, index);
  const before = list[at];
  list[at] = operation(before, value);
  return before;
};
const operations = {
  add: change((before, value) => before + value),
  sub: change((before, value) => before - value),
  and: change((before, value) => before & value),
  or: change((before, value) => before | value),
  xor: change((before, value) => before ^ value),
  exchange: change((_, value) => value),
  load: (list, index) => list[place(list, index)],
  store: (list, index, value) => (list[place(list, index)] = value),
  compareExchange(list, index, expected, value) {
    const at = place(list, index);
    const before = list[at];
    if (before === expected) list[at] = value;
    return before;
  },
  isLockFree: (size) => [1, 2, 4, 8].includes(size),
  notify: (list, index) => (place(list, index), 0),
};
const atomics = {};
for (const [name, operation] of Object.entries(operations)) {
  hide(atomics, name, operation);
  heddle.natives.add(operation);
}
Object.defineProperty(atomics, Symbol.toStringTag, { value: 'Atomics' });
hide(globalThis, 'Atomics', atomics);
