// Runs a program over the items of a node and hands out what it returns.

const { host, hide, readList, placed, entries, original } = heddle;
const { defineProperty } = original;
const define = (name, get) => defineProperty(globalThis, name, { configurable: true, enumerable: false, get, set: (value) => hide(globalThis, name, value) });

let all; // The input, read once: what code changes in an item it sees again.
let current; // The item of this turn.
const input = () => (all === undefined ? (all = readList()) : all);

let loopsLeft = Infinity;
/** Called once per turn of every loop; see loops.rs. */
const tick = () => (--loopsLeft < 0 ? host(40) : true);
const each = (iterable) => {
  if (iterable === null || iterable === undefined || typeof iterable[Symbol.iterator] !== 'function') return iterable;
  const iterator = iterable[Symbol.iterator]();
  return {
    [Symbol.iterator]: () => ({
      next: (value) => {
        const turn = iterator.next(value);
        if (!turn.done) tick();
        return turn;
      },
      return: (value) => (iterator.return ? iterator.return(value) : { done: true, value }),
    }),
  };
};
const keysOf = (object) => {
  for (const _ in object) tick();
  return object;
};

entries.enterCode = () => {
  const { codeGlobals } = heddle;
  for (const name of Object.keys(codeGlobals)) hide(globalThis, name, codeGlobals[name]);
  hide(globalThis, 'global', globalThis);
};

entries.setLoops = (loops) => {
  loopsLeft = loops;
  defineProperty(globalThis, '__heddle_tick', { value: tick });
  defineProperty(globalThis, '__heddle_each', { value: each });
  defineProperty(globalThis, '__heddle_keys', { value: keysOf });
};

class CodeInput {
  get item() {
    if (current === undefined) return input()[0];
    return current;
  }
  get all() {
    return () => input();
  }
  get first() {
    return () => (all === undefined ? placed(host(6, undefined, undefined, undefined, 0)) : all[0]);
  }
  get last() {
    return () => (all === undefined ? placed(host(6, undefined, undefined, undefined, -1)) : all[all.length - 1]);
  }
  get params() {
    return host(14);
  }
  get context() {
    return host(15);
  }
}

/** The properties of a run that every flavour has. */
function prepare(names) {
  hide(globalThis, '$input', new CodeInput());
  const execution = () => {
    const data = host(16, '$execution') || {};
    return { ...data, customData: heddle.customData };
  };
  define('$execution', execution);
  for (const name of Object.keys(names)) hide(globalThis, name, names[name]);
}

const context = () => ({
  helpers: heddle.helpers,
  getWorkflowStaticData: globalThis.getWorkflowStaticData,
  getNodeParameter: (name, _index, fallback) => {
    const value = host(25, undefined, String(name));
    return value === undefined ? fallback : value;
  },
  getMode: () => host(16, '$mode'),
  getTimezone: () => host(19),
  getWorkflow: () => host(16, '$workflow'),
  getInputData: () => input(),
  getNode: () => ({ name: host(16, '$nodeName'), id: host(16, '$nodeId') }),
  getExecutionId: () => (host(16, '$execution') || {}).id,
  continueOnFail: () => false,
  logger: globalThis.console,
});

async function runForAll(program) {
  const result = await program.call(context());
  if (!Array.isArray(result)) {
    host(60, -1, result);
    return;
  }
  host(62, result.length);
  for (let i = 0; i < result.length; i++) {
    host(60, i, result[i]);
    // What went out is not needed any more; a million items need not be held twice.
    if (result !== all) result[i] = undefined;
  }
}

let index = -1;
async function runForEach(program, flavour, first) {
  const length = host(7);
  const receiver = context();
  let chunk = [];
  let from = first;
  for (index = first; index < length; index++) {
    if (index - from >= chunk.length) {
      from = index;
      chunk = host(8, from);
    }
    current = chunk[index - from];
    chunk[index - from] = undefined;
    host(65, index);
    if (flavour === 'functionItem') {
      globalThis.item = current.json;
      globalThis.getBinaryData = () => current.binary;
      const item = current;
      globalThis.setBinaryData = (binary) => {
        item.binary = binary;
      };
    }
    const result = await program.call(receiver);
    host(60, index, flavour === 'functionItem' ? { json: result, binary: current.binary } : result);
  }
}

entries.startCode = (program, flavour, names, first) => {
  const forEach = flavour === 'each' || flavour === 'functionItem';
  prepare(names);
  if (forEach) {
    define('$json', () => current.json);
    define('$data', () => current.json);
    define('$binary', () => current.binary || {});
    define('$thisItem', () => current);
    if (flavour === 'each') define('item', () => current);
    define('items', () => input());
  } else if (flavour === 'tool') {
    for (const name of Object.keys(heddle.toolGlobals)) hide(globalThis, name, heddle.toolGlobals[name]);
  } else {
    define('items', () => input());
    const firstItem = () => input()[0] || { json: undefined };
    define('$json', () => firstItem().json);
    define('$data', () => firstItem().json);
    define('$binary', () => firstItem().binary || {});
    define('$thisItem', firstItem);
  }
  (forEach ? runForEach(program, flavour, first) : runForAll(program)).then(
    () => {
      heddle.returnStaticData();
      host(63);
    },
    (error) => host(64, entries.describeError(error), index),
  );
};
