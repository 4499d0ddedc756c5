/**
 * How soon a canvas is there for somebody who comes with an empty cache: until the first words are painted and until the first node is
 * in sight, with what was fetched when. Run `node bench/paint.mjs` with `HEDDLE_BINARY` set to a release build.
 */
import { enter } from "../journeys/harness.mjs";

const TIMES = Number(process.argv[2] ?? 5);
/** A canvas that comes later than this is a failure. */
const MOST_MS = 1000;

const world = await enter({});
const nodes = Array.from({ length: 12 }, (_, index) => ({
  id: String(index),
  name: index === 0 ? "Start" : `Step ${index}`,
  type: index === 0 ? "n8n-nodes-base.manualTrigger" : "n8n-nodes-base.set",
  typeVersion: index === 0 ? 1 : 3.4,
  position: [index * 220, 0],
  parameters: {},
}));
const made = await world.call("POST", "/workflows", {
  name: "First sight",
  nodes,
  connections: {},
  settings: {},
});
const state = await world.context.storageState();
const times = [];
for (let round = 0; round < TIMES; round++) {
  const context = await world.browser.newContext({
    viewport: { width: 1440, height: 900 },
    baseURL: world.base,
    storageState: state,
  });
  const page = await context.newPage();
  const begun = performance.now();
  await page.goto(`/workflow/${made.id}`, { waitUntil: "commit" });
  await page.locator(".react-flow__node").first().waitFor();
  times.push(performance.now() - begun);
  if (round === TIMES - 1) await tellOf(page);
  await context.close();
}
await world.leave();
times.sort((one, other) => one - other);
const middle = times[Math.floor(times.length / 2)];
console.log(
  `The first node is in sight after ${times.map(Math.round).join(", ")} ms; in the middle ${Math.round(middle)} ms.`,
);
if (middle > MOST_MS) {
  console.error(`A canvas should be there within ${MOST_MS} ms.`);
  process.exitCode = 1;
}

/** What was fetched, from when to when, and how much of it came over the wire. */
async function tellOf(page) {
  const { painted, fetched } = await page.evaluate(() => ({
    painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0,
    fetched: [
      ...performance.getEntriesByType("navigation"),
      ...performance.getEntriesByType("resource"),
    ].map((one) => ({
      name: new URL(one.name).pathname,
      start: one.startTime,
      end: one.responseEnd,
      size: one.encodedBodySize,
    })),
  }));
  console.log(`First paint after ${Math.round(painted)} ms.`);
  for (const { name, start, end, size } of fetched.sort((one, other) => one.start - other.start)) {
    console.log(
      `${String(Math.round(start)).padStart(5)} – ${String(Math.round(end)).padStart(5)} ms  ${(size / 1024).toFixed(1).padStart(7)} KB  ${name}`,
    );
  }
}
