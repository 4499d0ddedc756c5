// The part of answer.mjs that calls the package. A case may never come back, so it runs in a thread that can be ended.

import { createRequire } from 'node:module';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';

const { folder, lines } = workerData;

// ---- the clock, which stands still ----

let standing = Date.now();
const PlainDate = Date;
globalThis.Date = new Proxy(PlainDate, {
  construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [standing] : args, made === globalThis.Date ? target : made),
  apply: () => new PlainDate(standing).toString(),
  get: (target, name) => (name === 'now' ? () => standing : Reflect.get(target, name)),
});

const require = createRequire(join(folder, 'package.json'));
const packageFolder = join(folder, 'node_modules', 'n8n-workflow');
const n8n = require('n8n-workflow');
n8n.setGlobalState({ defaultTimezone: 'America/New_York' });

// ---- one case ----

const plainType = { description: { displayName: 'Test', name: 'test', group: [], version: 1, description: '', defaults: {}, inputs: ['main'], outputs: ['main'], properties: [{ displayName: 'V1', name: 'value1', type: 'string', default: 'default1' }, { displayName: 'V2', name: 'value2', type: 'string', default: 'default2' }] } };
const typesOf = (type) => ({ getByName: () => type, getByNameAndVersion: () => type, getKnownTypes: () => ({}) });
// A single node has no parameters: Heddle does not know the defaults of a type that is only here.
const bareType = { description: { ...plainType.description, properties: [] } };

const single = (name) => ({ nodes: [{ name, type: 'test.set', id: 'uuid-1234', typeVersion: 1, position: [0, 0], parameters: {} }], connections: {} });

function evaluate(found) {
  const active = found.activeNode ?? 'node';
  const document = structuredClone(found.workflow ?? single(active));
  const workflow = new n8n.Workflow({ id: document.id ?? '', name: document.name ?? 'My workflow', active: false, nodeTypes: typesOf(found.workflow ? plainType : bareType), ...document });
  const items = structuredClone(found.items ?? []);
  const run = found.runData ? { resultData: { runData: structuredClone(found.runData), pinData: document.pinData } } : null;
  const from = found.inputSource ? { data: { main: [items] }, node: workflow.getNode(active), source: found.inputSource } : undefined;
  return workflow.expression.getParameterValue(found.expression, run, found.runIndex ?? 0, found.itemIndex ?? 0, active, items, found.mode ?? 'manual', { ...(found.additionalKeys ?? {}) }, from, false, {});
}

// ---- helper functions, wherever the package keeps them ----

const helpers = {};
function collect(directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) collect(path);
    else if (entry.name.endsWith('.js') && !/worker|bundle/.test(entry.name)) {
      try {
        for (const [name, value] of Object.entries(require(path))) if (typeof value === 'function') helpers[name] ??= value;
      } catch {
        // A module that does not load here has nothing to ask.
      }
    }
  }
}
collect(join(packageFolder, 'dist', 'cjs'));

function decode(value) {
  if (Array.isArray(value)) return value.map(decode);
  if (value === null || typeof value !== 'object') return value;
  if (value.$undefined) return undefined;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, decode(field)]));
}
function call(name, given) {
  const args = decode(given);
  if (name === 'nodeNameToToolName') args[0] = { name: args[0], type: 'test.set', typeVersion: 1, parameters: {}, id: '1', position: [0, 0] };
  if (!helpers[name]) throw new Error(`the package has no function ${name}`);
  return helpers[name](...args);
}

// ---- what comes out, as the corpus spells it ----

function encode(value, depth = 0) {
  if (depth > 12) return { $opaque: 'deep' };
  if (value === undefined) return { $undefined: true };
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : { $number: String(value) };
  if (typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function') return { $opaque: typeof value };
  if (value instanceof PlainDate) return Number.isNaN(value.getTime()) ? { $invalid: 'date' } : { $date: value.toISOString() };
  if (value.isLuxonDateTime === true) return value.isValid ? value.toISO() : { $invalid: 'date' };
  if (value instanceof Promise) return { $opaque: 'promise' };
  if (value instanceof URL) return value.href;
  if (Array.isArray(value)) return Array.from(value, (element) => encode(element, depth + 1));
  if (typeof value.toJSON === 'function') return encode(value.toJSON(), depth + 1);
  if (value instanceof String || value instanceof Number || value instanceof Boolean) return encode(value.valueOf(), depth + 1);
  return Object.fromEntries(Object.keys(value).map((key) => [key, encode(value[key], depth + 1)]).filter(([, field]) => field === null || !field.$undefined));
}

for (const line of lines) {
  const found = JSON.parse(line);
  if (found.now) standing = PlainDate.parse(found.now);
  try {
    found.expected = encode(found.function ? call(found.function, found.args) : evaluate(found));
  } catch (error) {
    found.expectedError = error instanceof Error ? error.message : String(error);
    found.errorClass = error?.constructor?.name;
  }
  parentPort.postMessage(JSON.stringify(found));
}
