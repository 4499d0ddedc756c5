// Runs workflows with n8n's published packages: `node run_workflows.mjs FOLDER OUT < workflows.jsonl`.
// FOLDER holds a `node_modules` with `n8n-core` and `n8n-nodes-base`; OUT gets one case a file, as
// `heddle conformance OUT` reads them.

import { createRequire } from 'node:module';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

process.env.TZ = 'UTC';
const [folder, out] = process.argv.slice(2);
if (!folder || !out) {
  process.stderr.write('Usage: node run_workflows.mjs FOLDER OUT < workflows.jsonl\n');
  process.exit(2);
}
const require = createRequire(join(folder, 'package.json'));
const n8n = require('n8n-workflow');
const { WorkflowExecute, ExecutionLifecycleHooks, BinaryDataService, BinaryDataConfig } = require('n8n-core');
n8n.setGlobalState?.({ defaultTimezone: 'UTC' });

// Files stay in memory, as they do without a configuration.
require('reflect-metadata');
const { Container } = require('@n8n/di');
await Container.get(BinaryDataService).init(Container.get(BinaryDataConfig));

const FILES = {
  manualTrigger: 'ManualTrigger/ManualTrigger', set: 'Set/Set', if: 'If/If', merge: 'Merge/Merge', noOp: 'NoOp/NoOp', splitInBatches: 'SplitInBatches/SplitInBatches',
  convertToFile: 'Files/ConvertToFile/ConvertToFile', extractFromFile: 'Files/ExtractFromFile/ExtractFromFile', markdown: 'Markdown/Markdown', html: 'Html/Html', xml: 'Xml/Xml', crypto: 'Crypto/Crypto', dateTime: 'DateTime/DateTime', renameKeys: 'RenameKeys/RenameKeys', filter: 'Filter/Filter',
  ...Object.fromEntries(['RemoveDuplicates', 'Sort', 'Summarize', 'Aggregate', 'SplitOut', 'Limit'].map((name) => [name[0].toLowerCase() + name.slice(1), `Transform/${name}/${name}`])),
};
const loaded = new Map();
function load(type) {
  if (!loaded.has(type)) {
    const file = FILES[type.split('.').pop()];
    const module = require(`n8n-nodes-base/dist/nodes/${file}.node.js`);
    loaded.set(type, new (Object.values(module).find((one) => typeof one === 'function' && one.prototype))());
  }
  return loaded.get(type);
}
const nodeTypes = {
  getByName: load,
  getByNameAndVersion: (type, version) => n8n.NodeHelpers.getVersionedNodeType(load(type), version),
  getKnownTypes: () => ({}),
};

/** Longer than any of these runs takes that ends at all. */
const LIMIT_MS = 5000;

async function run(found) {
  const order = [];
  const workflow = new n8n.Workflow({ id: found.id, active: false, nodeTypes, ...structuredClone(found.workflow) });
  const hooks = new ExecutionLifecycleHooks('manual', '1', { id: found.id, name: '', active: false, nodes: found.workflow.nodes, connections: found.workflow.connections });
  hooks.addHandler('nodeExecuteAfter', (name) => void order.push(name));
  const additional = { hooks, executionId: '1', currentNodeParameters: undefined, variables: {}, webhookBaseUrl: '', formWaitingBaseUrl: '', webhookWaitingBaseUrl: '', webhookTestBaseUrl: '', instanceBaseUrl: '', restApiUrl: '', externalSecretsProxy: {}, logAiEvent() {}, executeWorkflow() {}, getRunExecutionData() {}, sendDataToUI() {}, setExecutionStatus() {}, credentialsHelper: {}, userId: '1' };
  const execution = new WorkflowExecute(additional, 'manual').run(workflow, workflow.getNode(found.start), undefined, found.workflow.pinData);
  let watch;
  const late = new Promise((_, reject) => {
    watch = setTimeout(() => {
      execution.cancel();
      reject(new Error('it does not end'));
    }, LIMIT_MS);
  });
  const result = await Promise.race([execution, late]);
  clearTimeout(watch);
  const { runData, error } = result.data.resultData;
  if (error) throw error;
  const described = ({ mimeType, fileExtension, fileName, data }) => ({ mimeType, fileExtension, fileName, data });
  const plain = (items) => (items ?? []).map(({ json, binary }) => ({ json, ...(binary ? { binary: Object.fromEntries(Object.entries(binary).map(([key, file]) => [key, described(file)])) } : {}) }));
  const expectedRuns = Object.fromEntries(Object.entries(runData).map(([name, runs]) => [name, runs.map((task) => (task.data ? task.data.main.map(plain) : null))]));
  return { ...found, expectedOrder: order, expectedRuns };
}

mkdirSync(out, { recursive: true });
let failed = 0;
for (const line of readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  const found = JSON.parse(line);
  try {
    const answered = await run(found);
    writeFileSync(join(out, `${found.id}.json`), JSON.stringify(answered));
  } catch (error) {
    failed++;
    process.stderr.write(`${found.id}: ${String(error?.message ?? error).split('\n')[0]}\n`);
  }
}
process.stderr.write(`${failed} workflows fail in n8n and were left out\n`);
process.exit(0);
