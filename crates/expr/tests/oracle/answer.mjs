// Asks n8n's published package: `node answer.mjs FOLDER < cases.jsonl > answered.jsonl`.
// FOLDER holds a `node_modules` with `n8n-workflow`. It is run, never read or copied.

import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const folder = process.argv[2];
if (!folder) {
  process.stderr.write('Usage: node answer.mjs FOLDER < cases.jsonl > answered.jsonl\n');
  process.exit(2);
}

/** Longer than any case takes that ends at all. */
const LIMIT_MS = 10_000;
const lines = readFileSync(0, 'utf8').split('\n').filter(Boolean);
let next = 0;
let left = 0;

/** Answers from the line at `next` on, until one of them does not come back. */
function work() {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./answer_worker.mjs', import.meta.url), { workerData: { folder, lines: lines.slice(next) }, resourceLimits: { maxOldGenerationSizeMb: 1024 }, env: { ...process.env, TZ: 'UTC' }, stdout: true });
    let watch;
    const stop = () => {
      clearTimeout(watch);
      resolve(worker.terminate());
    };
    const leaveOut = () => {
      left++;
      next++;
      stop();
    };
    const watchNext = () => {
      clearTimeout(watch);
      watch = setTimeout(leaveOut, LIMIT_MS * (next === 0 ? 6 : 1));
    };
    worker.on('message', (answered) => {
      process.stdout.write(`${answered}\n`);
      next++;
      if (next === lines.length) stop();
      else watchNext();
    });
    worker.on('error', leaveOut);
    watchNext();
  });
}

while (next < lines.length) await work();
if (left > 0) process.stderr.write(`${left} cases were left out: the package does not come back from them\n`);
