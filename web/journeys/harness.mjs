// A real Heddle with its editor, and a browser in front of it: what every journey begins with.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { startBrowser } from "./browsers.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const BINARY = process.env.HEDDLE_BINARY ?? join(ROOT, "target/debug/heddle");
export const OWNER = {
  email: "ada@example.com",
  password: "a-long-password-1",
  firstName: "Ada",
  lastName: "Byron",
};

/** A server on a folder of its own. `token` is what the terminal shows as long as there is no owner. */
export async function startServer(settings = {}) {
  const data = await mkdtemp(join(tmpdir(), "heddle-journey-"));
  let run = await begin({ data, settings, ready: /token=([\w-]+)/ });
  return {
    base: run.base,
    token: run.said().match(/token=([\w-]+)/)[1],
    data,
    said: () => run.said(),
    /** Cuts the server off in the middle of whatever it does; the next one begins at the same address with what is on disk. */
    kill: () => run.kill(),
    again: async () => {
      run = await begin({ data, settings, port: new URL(run.base).port });
    },
    stop: async () => {
      await run.kill();
      await rm(data, { recursive: true, force: true });
    },
  };
}

async function begin({ data, settings, port = "0", ready = /listens on/ }) {
  const child = spawn(BINARY, ["serve", "--port", port, "--data", data], {
    env: { ...process.env, HEDDLE_EGRESS_ALLOW: "127.0.0.1", NO_COLOR: "1", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const base = await new Promise((resolve, reject) => {
    const hear = (piece) => {
      said += piece;
      const address = said.match(/listens on (http:\/\/\S+)/)?.[1];
      if (address && ready.test(said)) resolve(address);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.on("exit", (code) => reject(new Error(`heddle ended with ${code}:\n${said}`)));
    child.on("error", reject);
  });
  const kill = () => {
    child.kill("SIGKILL");
    return ended;
  };
  return { base, kill, said: () => said };
}

/** A server with an owner, and a page on which she is signed in. Errors in the console, and requests to any host but those `elsewhere`, fail the journey. */
export async function enter({ owner = true, settings, elsewhere = [], ...options } = {}) {
  const server = await startServer(settings);
  const browser = await startBrowser(options);
  const { options: usual, prepare } = browser;
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    baseURL: server.base,
    reducedMotion: "reduce",
    ...usual,
    ...options,
  });
  await prepare(context);
  context.setDefaultTimeout(30_000);
  const complaints = [];
  context.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
  context.on("weberror", (problem) => complaints.push(String(problem.error())));
  const strangers = [];
  context.on(
    "request",
    (request) =>
      isElsewhere(request.url(), [new URL(server.base).host, ...elsewhere]) &&
      strangers.push(request.url()),
  );
  const csrf = owner ? await becomeOwner(context, server) : null;
  const page = await context.newPage();
  return {
    ...server,
    browser,
    prepare,
    context,
    page,
    /** A request to the API as the owner. */
    call: (method, path, data) => call(context, csrf, method, path, data),
    /** Ends the journey; whatever the page complained about fails it, but for what was expected. */
    leave: async (expected = []) => {
      await browser.leave();
      await server.stop();
      const isExpected = (text) =>
        expected.some((known) =>
          known instanceof RegExp ? known.test(text) : text.includes(known),
        );
      const unexpected = complaints.filter((text) => !isExpected(text));
      assert.deepEqual(unexpected, [], "the console has errors");
      assert.deepEqual(strangers, [], "requests left the machine");
    },
  };
}

/** The editor works offline: whatever it shows comes from its own server. */
function isElsewhere(url, hosts) {
  return /^(https?|wss?):/.test(url) && !hosts.includes(new URL(url).host);
}

async function becomeOwner(context, server) {
  const made = await context.request.post("/api/setup", {
    data: { token: server.token, ...OWNER },
  });
  assert.equal(made.status(), 200, await made.text());
  return (await (await context.request.get("/api/me")).json()).csrfToken;
}

async function call(context, csrf, method, path, data) {
  const answer = await context.request.fetch(`/api/v1${path}`, {
    method,
    data,
    headers: { "x-csrf-token": csrf },
  });
  const text = await answer.text();
  assert.ok(answer.ok(), `${method} ${path}: ${answer.status()} ${text}`);
  return text === "" ? undefined : JSON.parse(text);
}

/** Runs a journey in a world of its own and takes a picture when it fails. */
export async function journey(options, walk) {
  const world = await enter(options);
  try {
    await walk(world);
  } catch (error) {
    const picture = join(tmpdir(), `heddle-journey-${Date.now()}.png`);
    await world.page.screenshot({ path: picture }).catch(() => {});
    console.error(`  the page looked like ${picture}`);
    await world.leave().catch(() => {});
    throw error;
  }
  await world.leave(options.expected);
}
