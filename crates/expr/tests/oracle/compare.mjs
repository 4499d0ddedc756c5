// Compares answers: `node compare.mjs answered.jsonl found.jsonl [--show CLASS] [--keep FILE]`.
// `answered.jsonl` comes from answer.mjs, `found.jsonl` from `heddle expr --cases answered.jsonl`.

import { readFileSync, writeFileSync } from 'node:fs';

const [expectedFile, foundFile, ...options] = process.argv.slice(2);
const option = (name) => (options.includes(name) ? options[options.indexOf(name) + 1] : undefined);
const read = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const own = (object, key) => (Object.hasOwn(object, key) ? object[key] : undefined);
const isNothing = (value) => value === undefined || (isObject(value) && value.$undefined === true);

/** By the rules of the corpus. */
function agree(expected, found) {
  if (isObject(expected) && '$opaque' in expected) return true;
  if (isNothing(expected)) return isNothing(found) || found === null;
  if (isObject(expected) && '$invalid' in expected) return found === null || isNothing(found) || (isObject(found) && '$invalid' in found);
  if (expected === null) return found === null || isNothing(found) || (isObject(found) && '$number' in found);
  if (isObject(expected) && '$date' in expected && typeof found === 'string') return expected.$date === found;
  if (Array.isArray(expected)) return Array.isArray(found) && expected.length === found.length && expected.every((element, at) => agree(element, found[at]));
  if (isObject(expected)) {
    if (!isObject(found)) return false;
    return [...new Set([...Object.keys(expected), ...Object.keys(found)])].every((key) => agree(own(expected, key), own(found, key)));
  }
  return expected === found;
}

/** Differences that docs/compatibility.md tells of: more values are taken, and no function runs without end. */
const isTold = (wanted, got) =>
  (/is only callable on type/.test(wanted.expectedError ?? '') && got.error === undefined) || /call stack limit|timed out/.test(got.error ?? '');

const ours = new Map(read(foundFile).map((line) => [line.id, line]));
const classes = new Map();
const different = [];
for (const wanted of read(expectedFile)) {
  const got = ours.get(wanted.id) ?? { error: 'no answer' };
  const tally = classes.get(wanted.class) ?? { cases: 0, agree: 0, errors: 0, words: 0, told: 0 };
  classes.set(wanted.class, tally);
  if (isTold(wanted, got)) {
    tally.told++;
    continue;
  }
  tally.cases++;
  const fails = wanted.expectedError !== undefined;
  const same = fails ? got.error !== undefined : got.error === undefined && agree(wanted.expected, got.value);
  if (same) tally.agree++;
  else different.push({ ...wanted, got });
  if (fails && same) {
    tally.errors++;
    if (got.error === wanted.expectedError) tally.words++;
    else if (options.includes('--words')) different.push({ ...wanted, got });
  }
}

const percent = (part, whole) => (whole === 0 ? '' : `${((100 * part) / whole).toFixed(2)} %`);
const total = { cases: 0, agree: 0, errors: 0, words: 0, told: 0 };
for (const [name, tally] of [...classes].sort()) {
  for (const key of Object.keys(total)) total[key] += tally[key];
  process.stdout.write(`${name.padEnd(26)} ${String(tally.agree).padStart(6)} of ${String(tally.cases).padStart(6)}  ${percent(tally.agree, tally.cases).padStart(9)}   same words ${tally.words} of ${tally.errors}, told ${tally.told}\n`);
}
process.stdout.write(`${'all'.padEnd(26)} ${String(total.agree).padStart(6)} of ${String(total.cases).padStart(6)}  ${percent(total.agree, total.cases).padStart(9)}   same words ${total.words} of ${total.errors}, told ${total.told}\n`);

const shown = option('--show');
if (shown) {
  const limit = Number(option('--limit') ?? 40);
  for (const found of different.filter((one) => shown === 'all' || one.class === shown).slice(0, limit)) {
    const data = found.items && String(found.expression).includes('$json.value') ? ` with ${JSON.stringify(found.items[0].json.value)}` : '';
    const subject = found.function ? `${found.function}(${JSON.stringify(found.args)})` : found.expression;
    process.stdout.write(`${found.id} ${subject}${data}\n    n8n    ${found.expectedError !== undefined ? `error: ${found.expectedError} (${found.errorClass})` : JSON.stringify(found.expected)}\n    Heddle ${found.got.error !== undefined ? `error: ${found.got.error}` : JSON.stringify(found.got.value)}\n`);
  }
}
const kept = option('--keep');
if (kept) writeFileSync(kept, different.map(({ got, errorClass, ...found }) => `${JSON.stringify(found)}\n`).join(''));
