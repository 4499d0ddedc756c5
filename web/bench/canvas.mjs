/**
 * How smooth a canvas with a thousand nodes is: frames per second while it is panned, zoomed and while a node is dragged, near and with
 * everything in sight. Run `node bench/canvas.mjs`, with `--url http://…` to measure a server that runs already.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

const COUNT = Number(option("--nodes") ?? 1000);
const SECONDS = Number(option("--seconds") ?? 4);
/** Fewer frames than this while panning is a failure. */
const LEAST = 45;

const site = await served(option("--url"));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, baseURL: site.url });
await context.route(
  (url) => url.pathname.startsWith("/api/"),
  (route) => answer(route),
);
const page = await context.newPage();
page.setDefaultTimeout(120_000);
page.on("pageerror", (error) => console.error("page error:", error.message));
const tools = await context.newCDPSession(page);
// The time of the thread, not of the clock: it says the same on a machine that is busy with something else.
await tools.send("Performance.enable", { timeDomain: "threadTicks" });
const begun = Date.now();
await page.goto("/workflow/bench");
await page.waitForSelector(".react-flow__node");
const opened = Date.now() - begun;
await page.waitForTimeout(1500);

const results = [];
for (const [name, move, size] of [
  ["pan, everything in sight", pan, null],
  ["drag a node, everything in sight", drag, null],
  ["pan at 45 %, the most with names", pan, 0.45],
  ["pan at 100 %", pan, 1],
  ["drag a node at 100 %", drag, 1],
  ["zoom in and out", zoom, 1],
]) {
  await page.locator("[data-canvas]").focus();
  await page.keyboard.press("1");
  await page.waitForTimeout(600);
  if (size !== null) await zoomTo(size);
  results.push(await measure(name, move));
}

console.log(`${COUNT} nodes, opened in ${opened} ms, load of the machine ${loadavg()[0].toFixed(1)}`);
for (const { name, fps, slowest, shown, work } of results) {
  const figures = [
    `${fps.toFixed(1).padStart(5)} frames/s`,
    `95 % within ${slowest.toFixed(1)} ms`,
    `${work.toFixed(1)} ms of work each`,
    `${shown} nodes drawn`,
  ];
  console.log(`${name.padEnd(34)} ${figures.join("   ")}`);
}
await browser.close();
await site.close();
// Where other work keeps the processors from the browser, what counts is whether the page's own work would leave time for the frames.
const isCrowded = loadavg()[0] > availableParallelism();
const isSlow = ({ name, fps, work }) => name.startsWith("pan") && (isCrowded ? 1000 / work : fps) < LEAST;
const failed = results.filter(isSlow);
if (failed.length > 0) {
  console.error(`Fewer than ${LEAST} frames per second: ${failed.map((result) => result.name).join("; ")}`);
  process.exitCode = 1;
}

/** Zooms until the button says so; the wheel is the one way that needs nothing but the page. */
async function zoomTo(wanted) {
  const shown = async () => Number.parseInt(await page.getByRole("button", { name: /^Zoom:/ }).innerText(), 10) / 100;
  for (let tries = 0; tries < 200 && Math.abs((await shown()) - wanted) > 0.02; tries++) {
    const deltaY = (await shown()) > wanted ? 6 : -6;
    await page
      .locator(".react-flow__pane")
      .dispatchEvent("wheel", { deltaY, ctrlKey: true, clientX: 700, clientY: 400, bubbles: true, cancelable: true });
  }
  await page.waitForTimeout(600);
}

/** Moves something in every frame and counts the frames. */
async function measure(name, move) {
  const before = await busy();
  const frames = await page.evaluate(
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
    { source: move.toString(), seconds: SECONDS },
  );
  const work = (1000 * ((await busy()) - before)) / frames.length;
  const gaps = frames.slice(1).map((time, index) => time - frames[index]);
  gaps.sort((one, other) => one - other);
  const shown = await page.locator(".react-flow__node").count();
  await page.waitForTimeout(400);
  return {
    name,
    fps: (1000 * gaps.length) / (frames.at(-1) - frames[0]),
    slowest: gaps[Math.floor(gaps.length * 0.95)],
    shown,
    work,
  };
}

/** Seconds that the page's own thread has worked. */
async function busy() {
  const { metrics } = await tools.send("Performance.getMetrics");
  return metrics.find((metric) => metric.name === "TaskDuration").value;
}

function pan({ pane, ends }, at) {
  if (ends) return;
  const turn = Math.floor(at / 500) % 2 === 0 ? 1 : -1;
  const wheel = { deltaX: 24 * turn, deltaY: 9 * turn, clientX: 700, clientY: 400, bubbles: true, cancelable: true };
  pane.dispatchEvent(new WheelEvent("wheel", wheel));
}

function zoom({ pane, ends }, at) {
  if (ends) return;
  const turn = Math.floor(at / 1000) % 2 === 0 ? 1 : -1;
  const wheel = { deltaY: 4 * turn, ctrlKey: true, clientX: 700, clientY: 400, bubbles: true, cancelable: true };
  pane.dispatchEvent(new WheelEvent("wheel", wheel));
}

function drag(state, at) {
  if (!state.node) throw new Error("There is no node in the middle to drag.");
  const event = (type, x, y) =>
    new MouseEvent(type, { clientX: x, clientY: y, bubbles: true, cancelable: true, view: window, button: 0 });
  if (state.count === 0) {
    const { left, top, width, height } = state.node.getBoundingClientRect();
    window.dragStart = { x: left + width / 2, y: top + height / 2 };
    state.node.dispatchEvent(event("mousedown", window.dragStart.x, window.dragStart.y));
  }
  const { x, y } = window.dragStart;
  const to = event(state.ends ? "mouseup" : "mousemove", x + Math.sin(at / 300) * 120, y + Math.cos(at / 300) * 80);
  window.dispatchEvent(to);
}

/** The server's answers, so that only the page is measured. */
function answer(route) {
  const { pathname } = new URL(route.request().url());
  const json = (body) => route.fulfill({ contentType: "application/json", body: JSON.stringify(body) });
  if (pathname === "/api/me") return json({ id: "1", email: "a@example.com", firstName: "A", lastName: "B", role: "owner" });
  if (pathname === "/api/v1/node-types") return json(types());
  if (pathname === "/api/v1/workflows/bench") return json(workflow());
  if (pathname === "/api/v1/workflows/check") return json({ problems: [], nodes: [] });
  return json({ data: [], nextCursor: null });
}

/** Rows of chains with a branch now and then, as large workflows have them. */
function workflow() {
  const nodes = [];
  const connections = {};
  const perRow = 25;
  for (let index = 0; index < COUNT; index++) {
    const [row, column] = [Math.floor(index / perRow), index % perRow];
    const kind = column === 0 ? "webhook" : ["set", "httpRequest", "code", "if"][index % 4];
    const name = `Step ${index}`;
    nodes.push({
      id: String(index),
      name,
      type: `n8n-nodes-base.${kind}`,
      typeVersion: 1,
      position: [column * 220, row * 140],
      parameters: { url: "https://api.example.com/users", method: "GET" },
    });
    if (column < perRow - 1 && index + 1 < COUNT) {
      const next = { node: `Step ${index + 1}`, type: "main", index: 0 };
      const below = { node: `Step ${index + perRow + 1}`, type: "main", index: 0 };
      const branches = kind === "if" && index + perRow + 1 < COUNT && column % 8 === 3;
      connections[name] = { main: branches ? [[next], [below]] : [[next]] };
    }
  }
  return {
    id: "bench",
    name: `${COUNT} nodes`,
    nodes,
    connections,
    settings: {},
    pinData: {},
    active: false,
    versionId: "1",
    tags: [],
  };
}

function types() {
  const type = (name, group, rest = {}) => ({
    id: `n8n-nodes-base.${name}`,
    versions: [1],
    name,
    summary: "",
    group,
    inputs: group === "trigger" ? [] : [{ kind: "main", label: "" }],
    outputs: [{ kind: "main", label: "" }],
    params: [],
    credentials: [],
    aliases: [],
    inputRules: [],
    outputRules: [],
    ...rest,
  });
  const ways = [
    { kind: "main", label: "true" },
    { kind: "main", label: "false" },
  ];
  return [
    type("webhook", "trigger"),
    type("set", "data"),
    type("httpRequest", "integration"),
    type("code", "data"),
    type("if", "flow", { outputs: ways }),
  ];
}

/** The address of the site: the one that was given, or of a build made for this. */
async function served(url) {
  if (url) return { url, close: () => {} };
  const { build, preview } = await import("vite");
  const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
  const root = new URL("..", import.meta.url).pathname;
  await build({ root, logLevel: "error", build: { outDir: folder, emptyOutDir: true } });
  const server = await preview({ root, logLevel: "error", build: { outDir: folder }, preview: { port: 0, strictPort: false } });
  const close = () =>
    new Promise((resolve) => {
      rmSync(folder, { recursive: true, force: true });
      server.httpServer.close(resolve);
      server.httpServer.closeAllConnections?.();
    });
  return { url: server.resolvedUrls.local[0], close };
}

function option(name) {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}
