// Writes workflows to run on both sides: `node generate_workflows.mjs SEED COUNT > workflows.jsonl`.

import { seeded } from './random.mjs';
import { workflow } from './classes/workflows.mjs';

const [seed, count] = process.argv.slice(2).map(Number);
if (!seed || !count) {
  process.stderr.write('Usage: node generate_workflows.mjs SEED COUNT > workflows.jsonl\n');
  process.exit(2);
}
const random = seeded(seed);
for (let at = 0; at < count; at++) {
  process.stdout.write(`${JSON.stringify({ id: `order.${seed}.${at}`, start: 'Start', workflow: workflow(random) })}\n`);
}
