/**
 * How smooth a canvas with a thousand nodes is: frames per second while it is panned, zoomed and while a node is dragged, near and with
 * everything in sight. Run `node bench/canvas.mjs`, with `--url http://…` to measure a server that runs already.
 *
 * A bare page with one moving box is measured beside each of them: its rate is what the machine could give in that moment, so the ratio
 * of the two means the same on a busy machine. `--trace FILE` writes what the browser did, for Chromium's performance panel.
 */
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { chromium } from "playwright-core";
import { answer, served } from "./mockSite.mjs";

const COUNT = Number(option("--nodes") ?? 1000);
const SECONDS = Number(option("--seconds") ?? 4);
const ONLY = option("--only");
/** Fewer frames than this are a failure. */
const LEAST = 45;
/** What a display shows at most, and a machine that is free gives to a bare page. */
const FULL = 60;

const site = await served(option("--url"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const context = await browser.newContext({
  viewport: { width: 1440, height: 900 },
  baseURL: site.url,
});
await context.route(
  (url) => url.pathname.startsWith("/api/"),
  (route) => answer(route, COUNT),
);
const bare = await context.newPage();
await bare.setContent(
  "<body style='margin:0'><div id=box style='width:200px;height:200px;background:#88a;will-change:transform'>",
);
const page = await context.newPage();
page.setDefaultTimeout(120_000);
page.on("pageerror", (error) => console.error("page error:", error.message));
const tools = await context.newCDPSession(page);
// The time of the thread, not of the clock: it says the same on a machine that is busy with something else.
await tools.send("Performance.enable", { timeDomain: "threadTicks" });
const whole = await browser.newBrowserCDPSession();
const begun = Date.now();
await page.goto("/workflow/bench");
await page.waitForSelector(".react-flow__node");
const opened = Date.now() - begun;
await page.waitForTimeout(1500);

const results = [];
for (const [name, move, size] of [
  ["pan, everything in sight", pan, null],
  ["drag a node, everything in sight", drag, null],
  ["pan at 30 %", pan, 0.3],
  ["pan at 45 %, the most with names", pan, 0.45],
  ["pan at 65 %, the most with all", pan, 0.65],
  ["pan at 100 %", pan, 1],
  ["pan at 65 % to what is new", sweep, 0.65],
  ["pan at 100 % to what is new", sweep, 1],
  ["drag a node at 100 %", drag, 1],
  ["zoom in and out", zoom, 1],
]) {
  if (ONLY && !name.includes(ONLY)) continue;
  await bare.bringToFront();
  const free = await measure(bare, shift);
  await page.bringToFront();
  await page.locator("[data-canvas]").focus();
  await page.keyboard.press("1");
  await page.waitForTimeout(600);
  if (size !== null) await zoomTo(size);
  const trace = option("--trace");
  if (trace)
    await browser.startTracing(page, {
      categories: ["toplevel", "cc", "viz", "blink", "devtools.timeline"],
    });
  results.push({ name, free: free.fps, ...(await measure(page, move)) });
  if (trace) writeFileSync(trace, await browser.stopTracing());
  await page.waitForTimeout(400);
}

console.log(
  `${COUNT} nodes, opened in ${opened} ms, load of the machine ${loadavg()[0].toFixed(1)}`,
);
for (const { name, fps, free, slowest, shown, work, all } of results) {
  const figures = [
    `${fps.toFixed(1).padStart(5)} frames/s`,
    `${Math.round((100 * fps) / free)} % of a bare page's ${free.toFixed(1)}`,
    `95 % within ${slowest.toFixed(1)} ms`,
    `${work.toFixed(1)} ms of the page's work each, ${all.toFixed(1)} of the browser's`,
    `${shown} nodes drawn`,
  ];
  console.log(`${name.padEnd(34)} ${figures.join("   ")}`);
}
await browser.close();
await site.close();
// Where a bare page is not given its frames either, the share of them is what counts.
const failed = results.filter(
  ({ fps, free }) => fps < LEAST && fps / Math.min(free, FULL) < LEAST / FULL,
);
if (failed.length > 0) {
  console.error(
    `Fewer than ${LEAST} frames per second: ${failed.map((result) => result.name).join("; ")}`,
  );
  process.exitCode = 1;
}

/** Zooms until the button says so; the wheel is the one way that needs nothing but the page. */
async function zoomTo(wanted) {
  const shown = async () =>
    Number.parseInt(await page.getByRole("button", { name: /^Zoom:/ }).textContent(), 10) / 100;
  for (let tries = 0; Math.abs((await shown()) - wanted) > 0.02; tries++) {
    if (tries === 200)
      throw new Error(`The canvas stays at ${await shown()} instead of ${wanted}.`);
    // A step of the wheel is so many powers of two.
    const deltaY = Math.max(-120, Math.min(120, Math.log2((await shown()) / wanted) / 0.002));
    await page.locator(".react-flow__pane").dispatchEvent("wheel", {
      deltaY,
      ctrlKey: true,
      clientX: 700,
      clientY: 400,
      bubbles: true,
      cancelable: true,
    });
    await page.waitForTimeout(20);
  }
  await page.waitForTimeout(600);
}

/** Moves something in every frame and counts the frames. */
async function measure(on, move) {
  const before = { page: await busy(), all: await busyEverywhere() };
  const frames = await on.evaluate(
    async ({ source, seconds }) => {
      const step = new Function("frame", "at", `return (${source})(frame, at)`);
      const pane = document.querySelector(".react-flow__pane");
      const node = [...document.querySelectorAll(".react-flow__node")].find((one) => {
        const { left, top, right, bottom } = one.getBoundingClientRect();
        return left > 300 && right < 1100 && top > 150 && bottom < 650;
      });
      const times = [];
      const state = { pane, node, count: 0 };
      await new Promise((resolve) => {
        const begin = performance.now();
        const tick = (now) => {
          times.push(now);
          if (now - begin > seconds * 1000) return resolve();
          step(state, now - begin);
          state.count += 1;
          requestAnimationFrame(tick);
        };
        requestAnimationFrame(tick);
      });
      step({ ...state, ends: true }, seconds * 1000);
      return times;
    },
    { source: move.toString(), seconds: on === bare ? 1 : SECONDS },
  );
  const work = (1000 * ((await busy()) - before.page)) / frames.length;
  const all = (1000 * ((await busyEverywhere()) - before.all)) / frames.length;
  const gaps = frames.slice(1).map((time, index) => time - frames[index]);
  gaps.sort((one, other) => one - other);
  return {
    fps: (1000 * gaps.length) / (frames.at(-1) - frames[0]),
    slowest: gaps[Math.floor(gaps.length * 0.95)],
    shown: await on.locator(".react-flow__node").count(),
    work,
    all,
  };
}

/** Seconds that the page's own thread has worked. */
async function busy() {
  const { metrics } = await tools.send("Performance.getMetrics");
  return metrics.find((metric) => metric.name === "TaskDuration").value;
}

/** Seconds of processor time that all parts of the browser have taken: painting and putting together happen outside of the page's thread. */
async function busyEverywhere() {
  const { processInfo } = await whole.send("SystemInfo.getProcessInfo");
  return processInfo.reduce((sum, one) => sum + one.cpuTime, 0);
}

function shift({ ends }, at) {
  if (!ends)
    document.getElementById("box").style.transform =
      `translate(${Math.sin(at / 300) * 200 + 400}px, 200px)`;
}

function pan({ pane, ends }, at) {
  if (ends) return;
  const turn = Math.floor(at / 500) % 2 === 0 ? 1 : -1;
  const wheel = {
    deltaX: 24 * turn,
    deltaY: 9 * turn,
    clientX: 700,
    clientY: 400,
    bubbles: true,
    cancelable: true,
  };
  pane.dispatchEvent(new WheelEvent("wheel", wheel));
}

/** Row by row over nodes that were not in sight before. */
function sweep({ pane, ends }, at) {
  if (ends) return;
  const turn = Math.floor(at / 2000) % 2 === 0 ? 1 : -1;
  const wheel = {
    deltaX: 24 * turn,
    deltaY: 9,
    clientX: 700,
    clientY: 400,
    bubbles: true,
    cancelable: true,
  };
  pane.dispatchEvent(new WheelEvent("wheel", wheel));
}

function zoom({ pane, ends }, at) {
  if (ends) return;
  const turn = Math.floor(at / 1000) % 2 === 0 ? 1 : -1;
  const wheel = {
    deltaY: 4 * turn,
    ctrlKey: true,
    clientX: 700,
    clientY: 400,
    bubbles: true,
    cancelable: true,
  };
  pane.dispatchEvent(new WheelEvent("wheel", wheel));
}

function drag(state, at) {
  if (!state.node) throw new Error("There is no node in the middle to drag.");
  const event = (type, x, y) =>
    new MouseEvent(type, {
      clientX: x,
      clientY: y,
      bubbles: true,
      cancelable: true,
      view: window,
      button: 0,
    });
  if (state.count === 0) {
    const { left, top, width, height } = state.node.getBoundingClientRect();
    window.dragStart = { x: left + width / 2, y: top + height / 2 };
    state.node.dispatchEvent(event("mousedown", window.dragStart.x, window.dragStart.y));
  }
  const { x, y } = window.dragStart;
  const to = event(
    state.ends ? "mouseup" : "mousemove",
    x + Math.sin(at / 300) * 120,
    y + Math.cos(at / 300) * 80,
  );
  window.dispatchEvent(to);
}

function option(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
