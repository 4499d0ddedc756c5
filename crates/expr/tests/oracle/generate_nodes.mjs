// Writes workflows of single nodes to run on both sides: `node generate_nodes.mjs SEED COUNT > workflows.jsonl`.

import { seeded } from './random.mjs';
import { nodeWorkflow } from './classes/nodes.mjs';

const [seed, count] = process.argv.slice(2).map(Number);
if (!seed || !count) {
  process.stderr.write('Usage: node generate_nodes.mjs SEED COUNT > workflows.jsonl\n');
  process.exit(2);
}
const random = seeded(seed);
for (let at = 0; at < count; at++) {
  const { name, workflow } = nodeWorkflow(random);
  process.stdout.write(`${JSON.stringify({ id: `${name.replaceAll(' ', '-')}.${seed}.${at}`, start: 'Start', workflow })}\n`);
}
