// What cannot run is said before it runs: in the list, on the canvas, in the top bar, when it is pasted; and there is a way on.
import assert from "node:assert/strict";
import { test } from "node:test";
import { card, closePanel, newWorkflow, openNode, panelOf, take } from "./canvasSteps.mjs";
import { expect, until } from "./expect.mjs";
import { journey } from "./harness.mjs";

const node = (name, type, position, more = {}) => ({
  id: name,
  name,
  type,
  typeVersion: 1,
  position,
  parameters: {},
  ...more,
});
const to = (name, type = "main") => [[{ node: name, type, index: 0 }]];
const UNSUPPORTED = ["airtable", "hubspot", "jira", "notion", "slack", "trello"];

/** Six nodes that are not supported in a row, then an agent whose model has no credential. */
const FOREIGN = {
  name: "From elsewhere",
  nodes: [
    node("Start", "n8n-nodes-base.manualTrigger", [0, 0]),
    ...UNSUPPORTED.map((name, at) =>
      node(name, `n8n-nodes-elsewhere.${name}`, [224 * (at + 1), 0], {
        parameters: { resource: "record", operation: "search" },
        credentials: { airtableTokenApi: { id: null, name: "Ada's" } },
      }),
    ),
    node("Agent", "@n8n/n8n-nodes-langchain.agent", [1568, 0], { typeVersion: 1.9 }),
    node("Gemini", "@n8n/n8n-nodes-langchain.lmChatGoogleGemini", [1568, 224]),
  ],
  connections: {
    Start: { main: to(UNSUPPORTED[0]) },
    ...Object.fromEntries(
      UNSUPPORTED.map((name, at) => [name, { main: to(UNSUPPORTED[at + 1] ?? "Agent") }]),
    ),
    Gemini: { ai_languageModel: to("Agent", "ai_languageModel") },
  },
  settings: {},
};

const problems = (page) => page.getByRole("list", { name: "Problems" }).getByRole("listitem");

async function openForeign({ page, call }) {
  const made = await call("POST", "/workflows", FOREIGN);
  await page.goto(`/workflow/${made.id}`);
  await card(page, "Gemini").waitFor();
}

test("nodes that are not supported and a missing credential are listed, marked and counted, also after a reload", () =>
  journey({}, async (world) => {
    const { page } = world;
    await openForeign(world);
    for (const visit of ["first", "second"]) {
      if (visit === "second") await page.reload();
      await page.getByRole("button", { name: /^7 problems/ }).click();
      await expect(problems(page)).toHaveCount(7);
      for (const name of UNSUPPORTED)
        await expect(problems(page).filter({ hasText: name })).toHaveText("is not supported");
      await expect(problems(page).filter({ hasText: "Gemini" })).toHaveText("needs a credential");
      await expect(
        card(page, "airtable").getByRole("img", { name: /not supported/ }),
      ).toBeVisible();
      await expect(card(page, "Gemini").getByRole("img", { name: /credential/ })).toBeVisible();
    }
    for (const name of ["airtable", "Agent", "Gemini"]) {
      await page.keyboard.press("1");
      await openNode(page, name);
      const test = panelOf(page, name)
        .getByRole("button", { name: /^(Test step|Run Agent)$/ })
        .first();
      await expect(test).toBeVisible();
      assert.ok(await test.isDisabled(), `${name} can be tested`);
      await closePanel(page);
    }
  }));

test("a node that is not supported is replaced by a request that has what is known, and keeps its connections", () =>
  journey({}, async (world) => {
    const { page, call } = world;
    await openForeign(world);
    await page.getByRole("button", { name: /^7 problems/ }).click();
    await problems(page)
      .filter({ hasText: "airtable" })
      .getByRole("button", { name: "Replace node" })
      .click();
    const search = page.getByRole("complementary", { name: "Replace node" });
    await expect(search).toHaveText("Replace “airtable”");
    await search
      .getByRole("option", { name: /^HTTP Request/ })
      .first()
      .click();
    const panel = panelOf(page, "airtable");
    await panel.waitFor();
    await expect(panel).toHaveText("HTTP Request");
    await closePanel(page);
    await expect(problems(page)).toHaveCount(7);
    await page.keyboard.press("Control+s");
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    const [stored] = (await call("GET", "/workflows")).data;
    const replaced = stored.nodes.find((one) => one.name === "airtable");
    assert.equal(replaced.type, "n8n-nodes-base.httpRequest");
    assert.equal(replaced.parameters.nodeCredentialType, "airtableTokenApi");
    assert.match(replaced.parameters.url, /^https:\/\/api\.airtable\.com/);
    assert.match(replaced.notes, /airtable: resource record, operation search/);
    assert.deepEqual(stored.connections, FOREIGN.connections);
  }));

test("nodes from elsewhere that are pasted are told about", () =>
  journey({}, async ({ page }) => {
    await newWorkflow(page);
    await page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify(FOREIGN));
    await page.getByLabel(/^Canvas of /).focus();
    await page.keyboard.press("Control+v");
    const told = page.getByRole("region", { name: "Notifications" });
    await expect(told).toHaveText("6 nodes are not supported, 1 node needs a credential");
    await told.getByRole("button", { name: "Show problems" }).click();
    await expect(problems(page)).toHaveCount(7);
  }));

test("an ordinary node is a tool wherever the engine takes it for one, and the search offers it as such", () =>
  journey({}, async ({ page, call }) => {
    const made = await call("POST", "/workflows", {
      name: "Tools",
      nodes: [
        node("Start", "n8n-nodes-base.manualTrigger", [0, 0]),
        node("Agent", "@n8n/n8n-nodes-langchain.agent", [224, 0], { typeVersion: 1.9 }),
        node("Ask", "n8n-nodes-base.httpRequestTool", [400, 224], {
          typeVersion: 4.2,
          parameters: { url: "https://api.example.com/users" },
        }),
      ],
      connections: {
        Start: { main: to("Agent") },
        Ask: { ai_tool: to("Agent", "ai_tool") },
      },
      settings: {},
    });
    await page.goto(`/workflow/${made.id}`);
    await openNode(page, "Ask");
    const panel = panelOf(page, "Ask");
    await expect(panel).toHaveText("HTTP Request Tool");
    await expect(panel.getByLabel("URL", { exact: true })).toBeVisible();
    await expect(panel.getByLabel("Description", { exact: true })).toBeVisible();
    await closePanel(page);
    await page.getByRole("button", { name: "Add: Tool" }).click();
    await take(page, "date", "Date & Time Tool");
    await closePanel(page);
    await page.keyboard.press("Control+s");
    await until(async () => {
      const stored = await call("GET", `/workflows/${made.id}`);
      return stored.nodes.some((one) => one.type === "n8n-nodes-base.dateTimeTool");
    }, "the tool was not stored");
  }));
