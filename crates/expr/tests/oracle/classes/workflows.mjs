// Workflows whose order of execution is worth comparing: branches that meet again, merges, loops, nodes that nothing leads to.

const item = (n) => ({ json: { n, way: '' } });

/** A workflow with some nodes behind a start; the field `way` tells of every item where it has been. */
export function workflow(random) {
  const nodes = [];
  const connections = {};
  const add = (name, type, typeVersion, parameters, more = {}) => {
    nodes.push({ id: `id-${name}`, name, type: `n8n-nodes-base.${type}`, typeVersion, position: [random.between(0, 20) * 50, random.between(0, 20) * 50], parameters, ...more });
    return name;
  };
  const outputs = [];
  const connect = ([from, output], to, index = 0) => {
    const all = (connections[from] ??= { main: [] }).main;
    while (all.length <= output) all.push([]);
    if (!all[output].some((known) => known.node === to && known.index === index)) all[output].push({ node: to, type: 'main', index });
  };
  const mark = (name) => ({ values: { string: [{ name: 'way', value: `={{ ($json.way || '') + '${name}' }}` }] }, options: {} });
  const source = () => random.pick(outputs);
  const feed = (name, inputs) => {
    for (let index = 0; index < inputs; index++) {
      const count = random.pick([1, 1, 1, 1, 2, inputs > 1 ? 0 : 1]);
      for (let i = 0; i < count; i++) connect(source(), name, index);
    }
  };

  add('Start', 'manualTrigger', 1, {});
  const pinData = { Items: Array.from({ length: random.between(1, 4) }, (_, at) => item(at)) };
  add('Items', 'noOp', 1, {});
  connect(['Start', 0], 'Items');
  outputs.push(['Items', 0], ['Items', 0]);
  const letters = 'ABCDEFGHIJ';
  const size = random.between(3, 9);
  for (let at = 0; at < size; at++) {
    const letter = letters[at];
    const kind = random.pick(['set', 'set', 'set', 'if', 'if', 'merge', 'merge', 'merge', 'noOp', 'loop', 'alone']);
    if (kind === 'set') {
      feed(add(letter, 'set', 1, mark(letter)), 1);
      outputs.push([letter, 0]);
    } else if (kind === 'noOp') {
      feed(add(letter, 'noOp', 1, {}, random.chance(0.2) ? { alwaysOutputData: true } : {}), 1);
      outputs.push([letter, 0]);
    } else if (kind === 'if') {
      feed(add(letter, 'if', 1, { conditions: { number: [{ value1: '={{ $json.n }}', operation: random.pick(['smaller', 'largerEqual']), value2: random.between(0, 4) }] } }), 1);
      outputs.push([letter, 0], [letter, 1]);
    } else if (kind === 'merge') {
      const [version, parameters] = random.pick([[1, {}], [1, {}], [1, { mode: 'mergeByIndex' }], [1, { mode: 'passThrough' }], [1, { mode: 'passThrough', output: 'input2' }], [1, { mode: 'wait' }], [2, {}], [2, { mode: 'combine', combinationMode: 'mergeByPosition', options: {} }], [2, { mode: 'chooseBranch' }], [3, {}], [3, { mode: 'chooseBranch', useDataOfInput: random.pick([1, 2]) }], [3, { mode: 'combine', combineBy: 'combineByPosition', options: {} }], [3.2, {}]]);
      feed(add(letter, 'merge', version, parameters), 2);
      outputs.push([letter, 0]);
    } else if (kind === 'alone') {
      // Nothing leads here; the legacy order may start it all the same.
      add(letter, 'set', 1, mark(letter));
      outputs.push([letter, 0]);
    } else {
      const body = [`${letter}x`, `${letter}y`];
      add(letter, 'splitInBatches', 3, { batchSize: random.between(1, 2), options: {} });
      feed(letter, 1);
      add(body[0], 'set', 1, mark(body[0].toLowerCase()));
      connect([letter, 1], body[0]);
      const shape = random.pick(['plain', 'fork', 'merge']);
      if (shape === 'plain') connect([body[0], 0], letter);
      else if (shape === 'fork') {
        add(body[1], 'if', 1, { conditions: { number: [{ value1: '={{ $json.n }}', operation: 'smaller', value2: random.between(0, 3) }] } });
        connect([body[0], 0], body[1]);
        connect([body[1], 0], letter);
        connect([body[1], 1], letter);
      } else {
        add(body[1], 'merge', random.pick([1, 2, 3]), {});
        connect([body[0], 0], body[1], 0);
        connect([letter, 1], body[1], 1);
        connect([body[1], 0], letter);
      }
      outputs.push([letter, 0]);
    }
  }
  return { nodes, connections, pinData, settings: { executionOrder: random.pick(['v0', 'v0', 'v1']) } };
}
