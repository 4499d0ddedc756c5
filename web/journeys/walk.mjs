// A look at everything: each page as each role, in both themes, on a desk and on a phone. `npm run walk` puts the pictures into
// `target/walk` and ends with what is wrong: errors in the console, requests that were refused, pages wider than the window.
import { mkdir, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { BROWSER } from "./browsers.mjs";
import { card, doubleClick } from "./canvasSteps.mjs";
import { until } from "./expect.mjs";
import { enter, OWNER } from "./harness.mjs";

const FOLDER = fileURLToPath(new URL("../../target/walk", import.meta.url));
const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };
/** What a person may do on the whole server, and in the project. */
const ROLES = { "global:admin": "admin", "global:member": "editor", "global:viewer": "viewer" };

const wrong = [];
const world = await enter({});
try {
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const places = await furnish(world);
  const people = [{ role: "owner", email: OWNER.email, password: OWNER.password }];
  for (const role of Object.keys(ROLES)) people.push(await invite(world, role, places.project));
  for (const person of people) {
    for (const colorScheme of ["light", "dark"]) {
      for (const [size, viewport] of Object.entries(SIZES)) {
        // What a role may see does not depend on the theme.
        if (colorScheme === "dark" && person.role !== "owner") continue;
        await walk(person, places, { colorScheme, size, viewport });
      }
    }
  }
} finally {
  await world.leave(["401", "403"]);
}
console.log(
  wrong.length === 0 ? "nothing is wrong" : wrong.map((line) => `wrong: ${line}`).join("\n"),
);
process.exitCode = wrong.length === 0 ? 0 : 1;

async function walk(person, places, { colorScheme, size, viewport }) {
  const context = await world.browser.newContext({
    viewport,
    colorScheme,
    baseURL: world.base,
    reducedMotion: "reduce",
    hasTouch: size === "phone" && BROWSER === "chromium",
  });
  await world.prepare(context);
  context.setDefaultTimeout(15_000);
  let where = "";
  const tell = (what) =>
    where === places.pages.missing ||
    wrong.push(`${where} (${person.role}, ${size}, ${colorScheme}): ${what}`);
  context.on("console", (message) => message.type() === "error" && tell(message.text()));
  context.on("weberror", (problem) => tell(String(problem.error())));
  context.on(
    "response",
    (answer) => answer.status() >= 400 && tell(`${answer.status()} ${answer.url()}`),
  );
  const signedIn = await context.request.post("/api/login", {
    data: { email: person.email, password: person.password },
  });
  if (!signedIn.ok()) throw new Error(`${person.email}: ${await signedIn.text()}`);
  const page = await context.newPage();
  let number = 0;
  const look = async (name) => {
    await page.waitForTimeout(500);
    const wider = await page.evaluate(
      () => document.documentElement.scrollWidth - window.innerWidth,
    );
    if (wider > 0) tell(`the page is ${wider} px wider than the window`);
    number += 1;
    const file = `${person.role.replace("global:", "")}-${colorScheme}-${size}-${String(number).padStart(2, "0")}-${name}.png`;
    await page.screenshot({ path: join(FOLDER, file) });
  };
  for (const [name, path] of Object.entries(places.pages)) {
    where = path;
    await page.goto(path);
    await page.locator("main, header").first().waitFor();
    await look(name);
  }
  where = "a node's panel";
  await page.goto(places.pages.canvas);
  await doubleClick(card(page, "Prices"));
  await page.getByRole("dialog").waitFor();
  await look("panel");
  await context.close();
}

async function invite({ call, browser, prepare, base }, role, project) {
  const email = `${role.replace("global:", "")}@example.com`;
  const password = "another-long-password";
  const [{ user }] = await call("POST", "/users", [{ email, role }]);
  await call("POST", `/projects/${project}/users`, {
    relations: [{ userId: user.id, role: `project:${ROLES[role]}` }],
  });
  const context = await browser.newContext({ baseURL: base });
  await prepare(context);
  const page = await context.newPage();
  const { pathname, hash } = new URL(user.inviteAcceptUrl);
  await page.goto(`${pathname}${hash}`);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByLabel("Password again").fill(password);
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("link", { name: "Go on" }).waitFor();
  await context.close();
  return { role, email, password };
}

/** A service that never answers, so that runs can be cut off while they call it. */
async function startSilence() {
  const silence = { calls: 0 };
  const server = createServer(() => {
    silence.calls += 1;
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  silence.url = `http://127.0.0.1:${server.address().port}/orders`;
  silence.stop = () => {
    server.closeAllConnections();
    server.close();
  };
  return silence;
}

/** Something of everything. */
async function furnish({ call, kill, again }) {
  const project = (await call("POST", "/projects", { name: "Shop" })).id;
  const node = (name, type, typeVersion, position, parameters = {}) => ({
    id: name,
    name,
    type: `n8n-nodes-base.${type}`,
    typeVersion,
    position,
    parameters,
  });
  const to = (name) => ({ main: [[{ node: name, type: "main", index: 0 }]] });
  const add = async (name, nodes, connections) => {
    const made = await call("POST", "/workflows", { name, nodes, connections, settings: {} });
    await call("PUT", `/workflows/${made.id}/transfer`, { destinationProjectId: project });
    return made.id;
  };
  const prices = await add(
    "Prices of the week",
    [
      node("Start", "manualTrigger", 1, [0, 0]),
      node("Prices", "set", 3.4, [220, 0], {
        assignments: {
          assignments: [
            { id: "a", name: "product", type: "string", value: "Tea" },
            { id: "b", name: "price", type: "number", value: 4.5 },
          ],
        },
        options: {},
      }),
      node("Is it cheap?", "if", 2.2, [440, 0]),
      node("Tell", "noOp", 1, [660, -80]),
      node("Note", "stickyNote", 1, [180, -220], { content: "## Prices\nAsked **every** morning" }),
    ],
    { Start: to("Prices"), Prices: to("Is it cheap?"), "Is it cheap?": to("Tell") },
  );
  const failing = await add(
    "An import with a long name that fails every time it runs",
    [
      node("Start", "manualTrigger", 1, [0, 0]),
      node("Stop", "stopAndError", 1, [220, 0], { errorMessage: "The supplier's list is empty" }),
    ],
    { Start: to("Stop") },
  );
  const run = await call("POST", `/workflows/${prices}/run`, {});
  const failed = await call("POST", `/workflows/${failing}/run`, {});
  const table = await call("POST", "/data-tables", {
    name: "prices",
    columns: [
      { name: "product", type: "string" },
      { name: "price", type: "number" },
    ],
    projectId: project,
  });
  await call("POST", `/data-tables/${table.id}/rows`, {
    data: [
      { product: "Tea", price: 4.5 },
      { product: "Coffee", price: 7 },
    ],
    returnType: "count",
  });
  const collection = await call("POST", "/collections", { name: "handbook", projectId: project });
  await call("POST", "/folders", { name: "Suppliers", projectId: project });
  await call("POST", "/variables", { key: "currency", value: "EUR" });

  const silence = await startSilence();
  for (const name of ["Order tea", "Order coffee"]) {
    const order = await add(
      name,
      [
        node("Start", "manualTrigger", 1, [0, 0]),
        node("Order", "httpRequest", 4.2, [220, 0], {
          method: "POST",
          url: silence.url,
          options: {},
        }),
      ],
      { Start: to("Order") },
    );
    for (let more = 0; more < 3; more += 1) await call("POST", `/workflows/${order}/run`, {});
  }
  await until(() => silence.calls === 6, "no orders came");
  await kill();
  silence.stop();
  await again();
  return {
    project,
    pages: {
      workflows: "/workflows",
      templates: "/templates",
      executions: "/executions",
      uncertain: "/executions?status=uncertain",
      compare: `/compare?a=${run.executionId}&b=${failed.executionId}`,
      agents: "/agents",
      approvals: "/agents?tab=approvals",
      decisions: "/agents?tab=decisions",
      knowledge: "/knowledge",
      collection: `/knowledge/${collection.id}`,
      memory: "/memory",
      servers: "/servers",
      policy: "/policy",
      credentials: "/credentials",
      tables: "/tables",
      table: `/tables/${table.id}`,
      variables: "/variables",
      insights: "/insights",
      account: "/settings",
      projects: "/settings/projects",
      keys: "/settings/keys",
      canvas: `/workflow/${prices}`,
      execution: `/workflow/${prices}/executions/${run.executionId}`,
      failed: `/workflow/${failing}/executions/${failed.executionId}`,
      missing: "/workflow/none",
    },
  };
}
