// What expressions see of a run: other nodes, their outputs, runs, parameters and pinned data.

import * as make from '../values.mjs';

const NODES = ['Start', 'First', 'Fork', 'Left', 'Right', 'Now'];
const node = (name, parameters, type = 'test.set') => ({ id: `id-${name}`, name, type, typeVersion: 1, position: [0, 0], parameters });
const to = (...names) => names.map((name) => ({ node: name, type: 'main', index: 0 }));

function parameters(random) {
  return {
    value1: random.pick(['plain', 5, true, ['a'], { inner: '={{ 1 + 2 }}' }, '={{ $json.v }}', '={{ $json.v }}!', '={{ $parameter.value2 }}', "={{ $('Start').first().json.v }}", '={{ $itemIndex }}', '={{ $node["First"].parameter.value2 }}', '={{ [1, 2] }}', '={{ $json.missing }}', '={{ $parameter["value2"] + 1 }}', '={{ $runIndex }}', '={{ undefined }}', '={{ $parameter.value1 }}']),
    // Not null, for which n8n takes the default of a type that only its side knows.
    value2: random.pick(['two', 2, '={{ 40 + 2 }}', '={{ $json.v }}', '', 0, '={{ "t" }}x']),
  };
}

function items(random, count, link) {
  return Array.from({ length: count }, (_, at) => ({
    json: { v: `${link ? link.tag : 'in'}${at}`, n: at, ...(random.chance(0.2) ? { deep: { x: at } } : {}) },
    ...(link && random.chance(0.9) ? { pairedItem: random.pick([{ item: link.count ? at % link.count : 0 }, { item: link.count ? at % link.count : 0 }, link.count ? at % link.count : 0, [{ item: 0 }], { item: 0, input: 0 }, [{ item: 0 }, { item: Math.max(0, link.count - 1) }], { item: 99 }]) } : {}),
  }));
}

/** A run that has got as far as the node `Now`: Start → First → Fork → Left, Right → Now. */
export function world(random) {
  const workflow = {
    nodes: NODES.map((name) => node(name, parameters(random))),
    connections: { Start: { main: [to('First')] }, First: { main: [to('Fork')] }, Fork: { main: [to('Left'), to('Right')] }, Left: { main: [to('Now')] }, Right: { main: [to('Now')] } },
    settings: {},
  };
  const runs = random.pick([1, 1, 1, 2, 3]);
  const runData = {};
  const counts = {};
  const record = (name, source, outputs) => (runData[name] ??= []).push({ startTime: 0, executionIndex: 0, executionTime: 0, executionStatus: 'success', source, data: { main: outputs } });
  const from = (previousNode, previousNodeOutput, previousNodeRun) => [{ previousNode, previousNodeOutput, previousNodeRun }];
  for (let run = 0; run < runs; run++) {
    counts.Start = random.between(1, 3);
    record('Start', [], [items(random, counts.Start, { tag: `s${run}.`, count: 0 })]);
    counts.First = random.between(1, 3);
    record('First', from('Start', 0, run), [items(random, counts.First, { tag: `f${run}.`, count: counts.Start })]);
    const left = random.below(3);
    const right = random.below(3);
    record('Fork', from('First', 0, run), [items(random, left, { tag: `k${run}.`, count: counts.First }), items(random, right, { tag: `q${run}.`, count: counts.First })]);
    if (random.chance(0.85)) record('Left', from('Fork', 0, run), [items(random, Math.max(1, left), { tag: `l${run}.`, count: left })]);
    if (random.chance(0.6)) record('Right', from('Fork', 1, run), [items(random, Math.max(1, right), { tag: `r${run}.`, count: right })]);
  }
  const input = random.pick(['Left', 'Left', 'Right'].filter((name) => runData[name]).concat(runData.Left || runData.Right ? [] : ['First']));
  const inputRun = random.below(runData[input].length);
  if (random.chance(0.25)) workflow.pinData = { [random.pick(['Start', 'First', 'Left', 'Right'])]: items(random, random.between(1, 3), null) };
  if (random.chance(0.15)) delete runData[random.pick(['Start', 'First', 'Fork'])];
  const output = runData[input] ? runData[input][inputRun].data.main[0] : [{ json: { v: 'x' } }];
  // Before n8n's executor hands items to a node, it links each to its own position in the output that it came from.
  const given = output.map((item, at) => ({ ...item, pairedItem: { item: at } }));
  return {
    activeNode: 'Now', workflow, runData, items: given, itemIndex: random.below(given.length), runIndex: random.below(2),
    inputSource: { main: from(input, 0, inputRun) },
  };
}

const name = (random) => random.pick(random.chance(0.95) ? NODES : ['Missing', '', 'start']);
const index = (random) => random.pick(['', '0', '1', '2', '-1', '99', 'undefined', 'null', "'0'"]);
const READS = [
  (r) => `$('${name(r)}').item${r.pick(['.json.v', '.json', '.json.n', '', '?.json.v', '.pairedItem'])}`, (r) => `$('${name(r)}').${r.pick(['first', 'last'])}(${r.chance(0.6) ? '' : [index(r), index(r)].filter(Boolean).join(', ')}).json.v`, (r) => `$('${name(r)}').all(${r.chance(0.6) ? '' : [index(r), index(r)].filter(Boolean).join(', ')})${r.pick(['.length', '[0].json.v', '.map((x) => x.json.v)', ''])}`,
  (r) => `$('${name(r)}').${r.pick(['itemMatching', 'pairedItem'])}(${index(r)})${r.pick(['.json.v', '?.json?.v', ''])}`, (r) => `$('${name(r)}').${r.pick(['isExecuted', 'params', 'params.value1', 'params.value2', 'context', 'params.missing', 'json', 'foo', 'binary', 'data', 'runIndex', 'parameter'])}`,
  (r) => `$node["${name(r)}"].${r.pick(['json.v', 'json', 'data.v', 'json.n', 'binary', 'parameter.value1', 'parameter.value2', 'parameter', 'runIndex', 'context', 'json.deep.x', 'isExecuted', 'params', 'foo', 'parameter.missing', 'parameter.value1.inner'])}`, (r) => `$node.${r.pick(NODES)}.json.v`, (r) => `$items(${r.chance(0.1) ? '' : `'${name(r)}'`}${r.chance(0.5) ? '' : r.pick([', 0', ', 1', ', 0, 0', ', 0, -1', ', 0, 1', ', 1, -1', ', 0, -2', ', 0, 99', ', 5', ', undefined, -1', ', -1'])})${r.pick(['.length', '[0].json.v', '', '.map((x) => x.json.v)', '[0]?.json?.v'])}`,
  () => '$prevNode.name', () => '$prevNode.runIndex', () => '$prevNode.outputIndex', () => '$prevNode', (r) => `$input.${r.pick(['item.json.v', 'first().json.v', 'last().json.v', 'all().length', 'params.value1', 'params', 'context', 'item', 'all()[1]?.json.v', 'item.pairedItem'])}`, (r) => `$item(${index(r)}).${r.pick(['$json.v', '$node["First"].json.v', '$node["Left"].json.v', '$itemIndex', '$parameter.value1', '$input.item.json.v', '$binary', '$prevNode.name', '$runIndex'])}`, (r) => `$item(${r.pick(['0', '1'])}, ${r.pick(['0', '1', '-1'])}).$node["${r.pick(NODES)}"].json.v`,
  (r) => `$parameter${r.pick(['.value1', '.value2', '["value1"]', '', '.missing', '.value1.inner', '.value1[0]', '.value2.length', '.missing.deeper'])}`, (r) => `$evaluateExpression(${(r.chance(0.8) ? make.template : make.quoted)(r.pick(['{{ $json.v }}', '={{ $json.n }}', "{{ $('First').item.json.v }}", '{{ $itemIndex }}', '{{ $parameter.value2 }}', '{{ $node["First"].json.v }} x', '{{ $input.item.json.v }}', "{{ $('Start').first().json.v }}"]))}${r.pick(['', '', ', 0', ', 1', ', 2', ', 99', ', undefined'])})`,
  (r) => `$getPairedItem('${name(r)}', { previousNode: '${name(r)}', previousNodeOutput: ${r.pick(['0', '1', 'undefined'])}, previousNodeRun: ${r.pick(['0', '1', 'undefined'])} }, { item: ${r.pick(['0', '1', '5'])} })${r.pick(['', '.json.v', '?.json?.v'])}`, () => '$json.v', () => '$json', () => '$itemIndex', () => '$runIndex', () => '$workflow.name', () => '$nodeId', () => '$nodeVersion', () => '$thisItem.json.v', () => '$thisItemIndex', () => '$thisRunIndex', () => '$position', () => '$data.v', () => '$webhookId', () => '$self', () => '$now.isValid', () => '$binary', () => '$agentInfo', () => '$input.isExecuted', () => 'Object.keys($parameter)', () => 'JSON.stringify($node["First"].parameter)', () => '$parameter', () => "'First' in $node", () => "Object.keys($prevNode)", () => "$('First').params", () => "typeof $('First').item", () => "$('First').isExecuted ? $('First').item.json.v : 'no'", () => "$if($('Right').isExecuted, $('Right').item.json.v, 'no')", () => "$ifEmpty($('Right').item.json.v, 'none')", () => "$if($('Missing').isExecuted, 1, 2)",
];
export const reads = (random) => ({ ...world(random), code: random.pick(READS)(random) });
