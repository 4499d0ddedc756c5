// What expressions see of the run: `$json`, `$input`, `$('Node')` and the rest. Nothing is asked of the host before it is read.

const { host, placed, hide, ExpressionError, FORBIDDEN, refuse } = heddle;
const { defineProperty } = heddle.original;
const { DateTime } = heddle.luxon;

/** A global that is computed each time it is read. */
const computed = (name, get) => defineProperty(globalThis, name, { configurable: true, enumerable: false, get, set: () => undefined });

/** All items of a list: of a node, or of the input when there is no name. */
function readList(node, output, run) {
  const length = host(7, node, output, run);
  const items = [];
  while (items.length < length) {
    const chunk = host(8, items.length);
    if (chunk.length === 0) break;
    for (let i = 0; i < chunk.length; i++) items.push(chunk[i]);
  }
  return items;
}
heddle.readList = readList;

// What n8n says of an item that is not there.
const noData = () => new ExpressionError('Can\u2019t get data for expression', 'There is no item at this index.');
const isIndex = (value) => Number.isInteger(value) && value >= 0;
const asIndex = (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value);

/** An item that was traced. A trace that breaks off is a TypeError in n8n, and so gives the whole expression no value. */
const traced = (reply) => {
  if (reply === undefined) throw new TypeError('the item cannot be traced');
  return placed(reply);
};
/** The item that item `index` of the input was made from. */
const pairedWith = (name, index) => {
  if (index === undefined) return traced(host(5, name));
  const position = asIndex(index);
  if (!isIndex(position)) throw noData();
  return traced(host(5, name, position));
};
/** An output and a run of a node; nothing stands for the usual ones, and those that cannot be give no value. */
const placeOf = (name, output, run) => {
  const place = [asIndex(output ?? undefined), run === -1 ? undefined : asIndex(run)];
  if (!place.every((index) => index === undefined || isIndex(index))) {
    host(7, name);
    throw new TypeError('an output or a run has a number');
  }
  return place;
};

class NodeReference {
  #name;
  constructor(name) {
    this.#name = name;
  }
  get isExecuted() {
    return host(13, this.#name);
  }
  get item() {
    return traced(host(5, this.#name));
  }
  get pairedItem() {
    return (index) => pairedWith(this.#name, index);
  }
  get itemMatching() {
    return (index) => {
      if (index === undefined) throw new ExpressionError('Missing item index for .itemMatching()', 'Give the index of an input item, for example .itemMatching(0).');
      return pairedWith(this.#name, index);
    };
  }
  get first() {
    return (output, run) => placed(host(6, this.#name, ...placeOf(this.#name, output, run), 0));
  }
  get last() {
    return (output, run) => placed(host(6, this.#name, ...placeOf(this.#name, output, run), -1));
  }
  get all() {
    return (output, run) => readList(this.#name, ...placeOf(this.#name, output, run));
  }
  get context() {
    return host(15, this.#name);
  }
  get params() {
    return host(14, this.#name);
  }
}

const reference = (name) => {
  const meant = name || host(11).name;
  if (!meant) throw new ExpressionError('$() needs the name of a node');
  if (!host(12, String(meant))) throw new ExpressionError("Referenced node doesn't exist", `There is no node named '${meant}'.`);
  return new NodeReference(String(meant));
};
hide(globalThis, '$', reference);

const noArguments = (name, args) => {
  if (args.length > 0) throw new ExpressionError(`$input.${name}() takes no arguments`);
};
class Input {
  get item() {
    return placed(host(4));
  }
  get first() {
    return (...args) => (noArguments('first', args), placed(host(6, undefined, undefined, undefined, 0)));
  }
  get last() {
    return (...args) => (noArguments('last', args), placed(host(6, undefined, undefined, undefined, -1)));
  }
  get all() {
    return () => readList();
  }
  get params() {
    return host(14, host(11).name);
  }
  get context() {
    return host(15);
  }
}
hide(globalThis, '$input', new Input());

/** Parameters of a node: each is evaluated as it is read, and all of them together are as they are written. */
const parameters = (node, index) => {
  const written = host(14, node);
  if (written === null || typeof written !== 'object') return written;
  return new Proxy(written, {
    has: () => true,
    get(_, name) {
      if (name === 'toJSON') return () => host(14, node);
      return typeof name === 'string' ? host(25, node, name, index) : undefined;
    },
  });
};

/** `$node["X"]`, seen from an item. */
class OldNode {
  #name;
  #index;
  #run;
  constructor(name, index, run) {
    this.#name = name;
    this.#index = index;
    this.#run = run;
  }
  #item() {
    if (this.#index !== this.#index) throw new TypeError('an item has a number');
    const item = placed(host(6, this.#name, undefined, this.#run, this.#index === undefined ? host(9) : this.#index));
    if (item === undefined) throw new ExpressionError("Can't get data for expression", `Node '${this.#name}' has no item at this index.`);
    return item;
  }
  get json() {
    return this.#item().json;
  }
  get data() {
    return this.#item().json;
  }
  get binary() {
    return this.#item().binary || {};
  }
  get context() {
    return host(15, this.#name);
  }
  get parameter() {
    return parameters(this.#name, this.#index);
  }
  get runIndex() {
    return host(26, this.#name) - 1;
  }
}
const oldNodes = (index, run) =>
  new Proxy(Object.create(null), {
    get(_, name) {
      if (typeof name !== 'string') return undefined;
      if (FORBIDDEN.has(name)) refuse(name);
      if (!host(12, name)) throw new ExpressionError("Referenced node doesn't exist", `There is no node named '${name}'.`);
      return new OldNode(name, index, run);
    },
    has: (_, name) => typeof name === 'string' && host(12, name),
  });
hide(globalThis, '$node', oldNodes(undefined));

hide(globalThis, '$items', (node, output, run) => readList(node === undefined ? undefined : String(node), node === undefined ? undefined : output === undefined ? 0 : output, run));

/** Everything, seen from another item. */
hide(globalThis, '$item', (position, run) => {
  const index = Number(position);
  const item = () => {
    if (!(index >= 0)) throw new TypeError('an item has a number');
    const found = placed(host(6, undefined, undefined, undefined, index));
    if (found === undefined) throw new ExpressionError("Can't get data for expression", `There is no item ${index}.`);
    return found;
  };
  const input = Object.create(globalThis.$input, { item: { get: () => placed(host(6, undefined, undefined, undefined, index)) } });
  return new Proxy(Object.create(null), {
    get(_, name) {
      if (name === '$json' || name === '$data') return item().json;
      if (name === '$binary') return item().binary || {};
      if (name === '$input') return input;
      if (name === '$node') return oldNodes(index, run);
      if (name === '$itemIndex') return index;
      if (name === '$parameter') return parameters(undefined, index);
      if (typeof name !== 'string' || name[0] !== '$') return undefined;
      return name in globalThis ? globalThis[name] : host(16, name);
    },
  });
});

computed('$json', () => placed(host(1)));
computed('$data', () => placed(host(1)));
computed('$binary', () => host(3));
computed('$thisItem', () => placed(host(4)));
computed('$itemIndex', () => host(9));
computed('$position', () => host(9));
computed('$thisItemIndex', () => host(9));
// It cannot be written into a text.
computed('$prevNode', () => Object.assign(Object.create(null), { name: undefined, outputIndex: undefined, runIndex: undefined }, host(11)));
computed('$runIndex', () => host(10));
computed('$thisRunIndex', () => host(10));
computed('$parameter', () => parameters());
computed('$rawParameter', () => host(14));
computed('$now', () => DateTime.now());
computed('$today', () => DateTime.now().startOf('day'));

const jmespath = (data, query) => {
  if (typeof data !== 'object' || typeof query !== 'string') {
    throw new ExpressionError('$jmespath() needs an object or array, and a query');
  }
  // An escape could spell a name that is refused.
  if (query.includes('\\')) throw new ExpressionError('$jmespath() takes no backslashes', 'Write the names as they are.');
  for (const word of query.match(/\w+/g) ?? []) if (FORBIDDEN.has(word)) refuse(word);
  return heddle.jmespath.search(data, query);
};
hide(globalThis, '$jmespath', jmespath);
hide(globalThis, '$jmesPath', jmespath);

const KEY = /^[a-zA-Z0-9_-]{1,64}$/;
const fromAI = (name, description, type = 'string', fallback = undefined) => {
  if (name === undefined || name === null || name === '') throw new ExpressionError("$fromAI() needs a key, such as $fromAI('name')");
  if (!KEY.test(String(name))) {
    throw new ExpressionError('A key of $fromAI() has 1 to 64 letters, digits, underscores and hyphens');
  }
  return host(17, String(name), fallback);
};
for (const name of ['$fromAI', '$fromAi', '$fromai']) hide(globalThis, name, fromAI);

hide(globalThis, '$getPairedItem', (node, source, paired) => {
  if (source === null || typeof source !== 'object') throw new ExpressionError('Paired item resolution failed', 'The source of the item is not known.');
  const { item, sourceOverwrite } = typeof paired === 'number' ? { item: paired } : paired;
  const from = sourceOverwrite || source;
  return traced(host(27, String(node), String(from.previousNode), from.previousNodeOutput || 0, from.previousNodeRun || 0, item));
});

hide(globalThis, '$self', Object.freeze({}));
const givenBy = (name) => {
  try {
    return host(17, name);
  } catch {
    return undefined;
  }
};
computed('$tool', () => ({ name: givenBy('tool'), parameters: givenBy('toolParameters') }));
hide(globalThis, '__sanitize', function __sanitize(value) {
  if (FORBIDDEN.has(String(value))) refuse(String(value));
  return value;
});

const indirectEval = globalThis.eval;
/** The value of a piece of code. What it throws itself makes it undefined. */
const valueOf = (code) => {
  const evaluate = indirectEval(host(22, code));
  try {
    return evaluate();
  } catch (error) {
    if (error instanceof ExpressionError || (error && error.heddleError !== undefined)) throw error;
    return undefined;
  }
};
/** Evaluates a template in an expression, for the item at hand or another one. */
hide(globalThis, '$evaluateExpression', (template, index) => {
  // The first item is named by no number: 0 stands for the one at hand.
  const isOther = Boolean(index);
  const before = isOther ? host(24, Number(index)) : undefined;
  try {
    const parts = host(23, String(template));
    if (parts.length === 1 && parts[0][0]) return valueOf(parts[0][1]);
    return parts.map(([isCode, text]) => (isCode ? valueOf(text) : text)).join('');
  } finally {
    if (isOther) host(24, before);
  }
});

hide(globalThis, 'process', Object.freeze({
  version: 'v22.0.0', versions: Object.freeze({ node: '22.0.0' }), release: Object.freeze({ name: 'node' }), platform: 'linux', arch: 'x64', pid: 1, ppid: 0,
  env: Object.freeze({}),
}));
heddle.installExtensions();
