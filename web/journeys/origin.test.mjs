// What workflows answer runs in no page of this instance: neither as a page of its own, whatever type it claims, nor as a script or a
// frame of the editor.
import assert from "node:assert/strict";
import { test } from "node:test";
import { journey, OWNER } from "./harness.mjs";

/** Types of which some browser might make a page of ours. */
const TYPES = [
  "text/html",
  "application/json, text/html",
  "image/png,text/html",
  "text/plain;a=b,text/html",
  'text/plain;a="b,text/html',
  "text/html\u00e9",
  "text/pl\u00e4in, text/html",
  "application/json\u00a0, text/html",
  "*/*, text/html",
  "html",
  "application/xhtml+xml",
  "text/xml",
  "image/svg+xml",
  "multipart/x-mixed-replace; boundary=x",
  "application/unheard-of",
  "text/plain",
  "application/json",
];

/** So many pages prove something. */
const ENOUGH = 4;
/** How long after the last of them no other is waited for. */
const QUIET_MS = 5000;

/** Takes what a page of this instance could take. It is HTML, XHTML and SVG at once, and a part of a multipart body. */
const THIEF = `<html xmlns="http://www.w3.org/1999/xhtml"><body><script>//<![CDATA[
window.loot = { origin: self.origin };
try { loot.cookie = document.cookie; } catch { loot.cookie = null; }
try { loot.storage = String(localStorage.length); } catch { loot.storage = null; }
try { loot.database = String(indexedDB.open("x")); } catch { loot.database = null; }
loot.done = fetch("/api/me", { credentials: "include" }).then((answer) => answer.text()).then((me) => { loot.me = me; }, () => { loot.me = null; });
//]]></script></body></html>`;
const BODIES = {
  "image/svg+xml": THIEF.replace(
    /<html[^>]*><body>/,
    '<svg xmlns="http://www.w3.org/2000/svg">',
  ).replace("</body></html>", "</svg>"),
  "multipart/x-mixed-replace; boundary=x": `--x\r\nContent-Type: text/html\r\n\r\n${THIEF}\r\n--x--\r\n`,
};

test("issue_14_05 no answer of a workflow acts as a page of this instance", () =>
  // Firefox's own viewer of JSON says no more than "Error" when it is left before it is ready.
  journey(
    { expected: ["Failed to load resource", "CORS", "sandboxed", "Not allowed", /^Error$/] },
    async ({ page, call }) => {
      const nodes = TYPES.flatMap((type, at) => answering(at, type, BODIES[type] ?? THIEF));
      const { id } = await call("POST", "/workflows", workflow("Thieves", nodes));
      await call("POST", `/workflows/${id}/activate`);

      // The trap is sharp: a page of ours gets what it asks for.
      await page.goto("/workflows");
      assert.match(
        await page.evaluate(() => fetch("/api/me").then((answer) => answer.text())),
        new RegExp(OWNER.email),
      );

      const loading = new Set();
      let last = Date.now();
      let ran = 0;
      const visit = async (type, at) => {
        const visitor = await page.context().newPage();
        loading.add(visitor);
        const shown = await visitor.goto(`/webhook/thief-${at}`).then(
          () => true,
          (error) =>
            assert.match(String(error), /Download is starting|ERR_ABORTED|closed|Timeout/, type) ??
            false,
        );
        loading.delete(visitor);
        if (!shown) return;
        const loot = await visitor.evaluate(async () => {
          await window.loot?.done;
          return window.loot && { ...window.loot, done: undefined };
        });
        if (!loot) return;
        assert.deepEqual(
          {
            origin: loot.origin,
            cookie: loot.cookie,
            storage: loot.storage,
            database: loot.database,
            me: loot.me,
          },
          { origin: "null", cookie: null, storage: null, database: null, me: null },
          `${type}: ${JSON.stringify(loot)}`,
        );
        ran += 1;
        last = Date.now();
      };
      // Firefox says nothing of a page that turns into a download: it is given up when all is quiet.
      let done = false;
      const visits = Promise.all(TYPES.map(visit)).finally(() => {
        done = true;
      });
      while (!done && (ran < ENOUGH || Date.now() - last < QUIET_MS)) {
        await Promise.race([visits, page.waitForTimeout(200)]);
      }
      await Promise.all([...loading].map((visitor) => visitor.close()));
      await visits;
      assert.ok(ran >= ENOUGH, `only ${ran} pages ran at all, so this has proved little`);
    },
  ));

test("issue_14_05 the editor runs no script and shows no frame of a workflow", () =>
  journey(
    { expected: ["Content Security Policy", "Refused to", "violates", "404 (Not Found)"] },
    async ({ page, call }) => {
      const { id } = await call(
        "POST",
        "/workflows",
        workflow("Scripts", answering(0, "text/javascript", "window.hacked = 'by a script'")),
      );
      await call("POST", `/workflows/${id}/activate`);
      await page.goto("/workflows");
      await page.getByRole("heading", { name: "Workflows" }).first().waitFor();
      const blocked = await page.evaluate(async () => {
        const seen = [];
        document.addEventListener("securitypolicyviolation", (event) =>
          seen.push(event.effectiveDirective),
        );
        const add = (tag, attributes) => {
          const element = Object.assign(document.createElement(tag), attributes);
          document.body.append(element);
          return new Promise((resolve) => {
            element.onload = element.onerror = resolve;
            setTimeout(resolve, 1500);
          });
        };
        await add("script", { src: "/webhook/thief-0" });
        await add("script", { textContent: "window.hacked = 'inline'" });
        await add("iframe", { src: "/webhook/thief-0" });
        const handler = document.createElement("div");
        handler.innerHTML = "<img src=x onerror=\"window.hacked = 'by a handler'\">";
        document.body.append(handler);
        await new Promise((resolve) => setTimeout(resolve, 500));
        const worker = await new Promise((resolve) => {
          try {
            const started = new Worker("/webhook/thief-0");
            started.onerror = () => resolve("refused");
            setTimeout(() => resolve("runs"), 1000);
          } catch {
            resolve("refused");
          }
        });
        const service = await navigator.serviceWorker.register("/webhook/thief-0").then(
          () => "runs",
          () => "refused",
        );
        return { seen, hacked: window.hacked ?? null, worker, service };
      });
      assert.equal(blocked.hacked, null);
      assert.deepEqual([blocked.worker, blocked.service], ["refused", "refused"]);
      for (const directive of ["script-src-elem", "script-src-attr", "frame-src"]) {
        assert.ok(blocked.seen.includes(directive), `${directive} is not among ${blocked.seen}`);
      }
    },
  ));

function answering(at, type, body) {
  const path = `thief-${at}`;
  return [
    {
      ...node(
        `Called ${at}`,
        "webhook",
        2.1,
        { httpMethod: "GET", path, responseMode: "responseNode", options: {} },
        at,
      ),
      webhookId: path,
    },
    node(
      `Answer ${at}`,
      "respondToWebhook",
      1.4,
      {
        respondWith: "text",
        responseBody: body,
        options: { responseHeaders: { entries: [{ name: "Content-Type", value: type }] } },
      },
      at,
    ),
  ];
}

function node(name, type, typeVersion, parameters, row) {
  const position = [type === "webhook" ? 0 : 220, row * 160];
  return { id: name, name, type: `n8n-nodes-base.${type}`, typeVersion, position, parameters };
}

function workflow(name, nodes) {
  const pairs = nodes
    .filter((_, at) => at % 2 === 0)
    .map((called, at) => [called, nodes[at * 2 + 1]]);
  const connections = Object.fromEntries(
    pairs.map(([called, answer]) => [
      called.name,
      { main: [[{ node: answer.name, type: "main", index: 0 }]] },
    ]),
  );
  return { name, nodes, connections, settings: { executionOrder: "v1" } };
}
