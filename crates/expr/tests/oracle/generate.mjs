// Writes cases for both sides: `node generate.mjs SEED COUNT > cases.jsonl`. The same seed gives the same cases.

import { seeded } from './random.mjs';
import * as extensions from './classes/extensions.mjs';
import * as functions from './classes/functions.mjs';
import * as javascript from './classes/javascript.mjs';
import { helpers } from './classes/helpers.mjs';
import { refusals } from './classes/refusals.mjs';
import { reads } from './classes/runs.mjs';

/** Where the clock stands in every case. */
const NOW = '2026-01-15T12:34:56.789Z';

/** Each class with the number of cases it has among hundred. */
const CLASSES = [
  ['text extensions', 14, extensions.textExtensions],
  ['number extensions', 5, extensions.numberExtensions],
  ['list extensions', 8, extensions.listExtensions],
  ['object extensions', 4, extensions.objectExtensions],
  ['date extensions', 12, extensions.dateExtensions],
  ['extensions on any value', 7, extensions.strangeExtensions],
  ['JavaScript methods', 8, javascript.methods],
  ['JavaScript library', 8, javascript.statics],
  ['global names', 3, javascript.globals],
  ['refusals', 4, refusals],
  ['errors', 3, javascript.errors],
  ['functions', 7, functions.functions],
  ['templates', 4, functions.templates],
  ['runs', 7, reads],
  ['helpers', 6, helpers],
];

const [seed, count] = process.argv.slice(2).map(Number);
if (!seed || !count) {
  process.stderr.write('Usage: node generate.mjs SEED COUNT > cases.jsonl\n');
  process.exit(2);
}
const random = seeded(seed);
const drawn = CLASSES.flatMap(([name, share, make]) => Array.from({ length: share }, () => [name, make]));
const lines = [];
for (let at = 0; at < count; at++) {
  const [name, make] = random.pick(drawn);
  const { code, template, ...rest } = make(random);
  const written = rest.function ? rest : { expression: template === undefined ? `={{ ${code} }}` : `=${template}`, now: NOW, ...rest };
  lines.push(JSON.stringify({ id: `${seed}.${at}`, class: name, ...written }));
}
process.stdout.write(`${lines.join('\n')}\n`);
