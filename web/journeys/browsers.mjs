// The browsers that journeys run in, as the machine has them: whichever Chromium and Firefox are installed are the ones that people get.
import { request as ask, createServer } from "node:http";
import { createRequire } from "node:module";
import { pipeline } from "node:stream";
import { chromium, firefox } from "playwright-core";

/** Which one the journeys of this process run in. */
export const BROWSER = process.env.BROWSER ?? "chromium";

const BROWSERS = { chromium: startChromium, firefox: startFirefox };

/** The browsers that run, by the color scheme they were started with, and how many journeys are in each. */
const running = new Map();

/** So long a browser waits for another journey: to start one takes more time than many a journey. */
const LINGER_MS = 500;

/**
 * A browser, what its contexts are made with, and what is done to each before it is used. Journeys of one file share it; `leave` ends what
 * belongs to this one.
 */
export async function startBrowser({ colorScheme = "light" }) {
  const start = BROWSERS[BROWSER];
  if (!start)
    throw new Error(`BROWSER is ${BROWSER}, not one of ${Object.keys(BROWSERS).join(", ")}`);
  const found = running.get(colorScheme);
  const shared = found ?? { started: start({ colorScheme }), users: 0 };
  running.set(colorScheme, shared);
  clearTimeout(shared.end);
  shared.users += 1;
  const { browser, options, prepare } = await shared.started;
  const contexts = new Set();
  return {
    options,
    prepare,
    newContext: async (wanted) => {
      const context = await browser.newContext(wanted);
      contexts.add(context);
      return context;
    },
    leave: async () => {
      await Promise.all([...contexts].map((context) => context.close()));
      shared.users -= 1;
      if (shared.users > 0) return;
      shared.end = setTimeout(() => {
        running.delete(colorScheme);
        void browser.close();
      }, LINGER_MS);
    },
  };
}

async function startChromium() {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({
    executablePath,
    args: ["--no-sandbox", "--disable-gpu"],
  });
  return {
    browser,
    options: { permissions: ["clipboard-read", "clipboard-write"] },
    prepare: () => {},
  };
}

/** A Firefox as it is released, which speaks WebDriver BiDi. What its BiDi cannot set for a page yet is set for the whole browser. */
async function startFirefox({ colorScheme }) {
  takeOlderFirefox();
  const proxy = await startProxy();
  const browser = await firefox.launch({
    executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
    channel: "moz-firefox",
    firefoxUserPrefs: {
      "dom.events.testing.asyncClipboard": true,
      "layout.css.prefers-color-scheme.content-override": colorScheme === "dark" ? 0 : 1,
      "ui.prefersReducedMotion": 1,
      "network.proxy.type": 1,
      "network.proxy.http": "127.0.0.1",
      "network.proxy.http_port": proxy.address().port,
      "network.proxy.allow_hijacking_localhost": true,
    },
  });
  browser.once("disconnected", () => {
    proxy.close();
    proxy.closeAllConnections();
  });
  return { browser, options: {}, prepare: (context) => context.addInitScript(insertAsTyped) };
}

/** The driver sets the value of a field from within the page, which React takes for its own doing; this is as if it were typed. */
function insertAsTyped() {
  const insert = (text) => void document.execCommand("insertText", false, text);
  Object.defineProperty(window, "__pw_bidiInsertText", { get: () => insert, set: () => {} });
}

/**
 * Hands on what Firefox asks for, without the rule that pages run no `eval`: by that the driver looks at a page, and Firefox obeys the rule
 * also then. All other rules stay. That the editor needs no `eval` is seen in Chromium, which is driven from outside of the page.
 */
async function startProxy() {
  const proxy = createServer((request, response) => {
    const { method, headers, url } = request;
    const onward = ask(url, { method, headers }, (answer) => {
      const policy = answer.headers["content-security-policy"];
      response.writeHead(
        answer.statusCode,
        policy
          ? { ...answer.headers, "content-security-policy": withEval(policy) }
          : answer.headers,
      );
      response.flushHeaders();
      // What is cut off on the one side is cut off on the other.
      pipeline(answer, response, () => {});
    });
    onward.on("error", () =>
      response.headersSent ? response.destroy() : response.writeHead(502).end(),
    );
    response.on("close", () => onward.destroy());
    request.pipe(onward);
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return proxy;
}

/** The same policies, each of which lets `eval` run. */
function withEval(policies) {
  const one = (policy) => {
    if (/\bscript-src /.test(policy))
      return policy.replace(/\bscript-src /, "script-src 'unsafe-eval' ");
    return policy.includes("default-src") ? `${policy}; script-src 'unsafe-eval'` : policy;
  };
  return policies.split(",").map(one).join(",");
}

/** What a page does well without; a Firefox with long support is older than the driver expects, and does not know all of them. */
const OPTIONAL = [
  "browser.setDownloadBehavior",
  "emulation.setMediaFeaturesOverride",
  "emulation.setScreenOrientationOverride",
  "emulation.setScreenSettingsOverride",
  "network.addDataCollector",
];

let isTaught = false;

/** Answers for Firefox where it says that it does not know an optional command; the driver would give up otherwise. */
function takeOlderFirefox() {
  if (isTaught) return;
  isTaught = true;
  const { ws } = createRequire(import.meta.url)("playwright-core/lib/utilsBundle");
  const { send, emit } = ws.prototype;
  const optional = new Set();
  ws.prototype.send = function (data, ...rest) {
    if (OPTIONAL.some((method) => data.includes(`"${method}"`))) optional.add(JSON.parse(data).id);
    return send.call(this, data, ...rest);
  };
  ws.prototype.emit = function (event, data, ...rest) {
    if (event !== "message" || !String(data).includes("unknown command"))
      return emit.call(this, event, data, ...rest);
    const answer = JSON.parse(data);
    const isFine = answer.error === "unknown command" && optional.has(answer.id);
    const told = isFine
      ? Buffer.from(JSON.stringify({ type: "success", id: answer.id, result: {} }))
      : data;
    return emit.call(this, event, told, ...rest);
  };
}
