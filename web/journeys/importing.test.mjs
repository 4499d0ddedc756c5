// What people bring along: an n8n workflow is imported with a report and run; a template is used; credentials live and are never shown again.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { arriveAt } from "./canvasSteps.mjs";
import { expect, until } from "./expect.mjs";
import { journey } from "./harness.mjs";

const EXPORTED = {
  name: "Sort and keep",
  nodes: [
    {
      id: "a",
      name: "When clicking ‘Execute workflow’",
      type: "n8n-nodes-base.manualTrigger",
      typeVersion: 1,
      position: [0, 0],
      parameters: {},
    },
    {
      id: "b",
      name: "Code",
      type: "n8n-nodes-base.code",
      typeVersion: 2,
      position: [220, 0],
      parameters: { jsCode: "return [3, 1, 2].map((n) => ({ json: { n } }));" },
    },
    {
      id: "c",
      name: "Sort",
      type: "n8n-nodes-base.sort",
      typeVersion: 1,
      position: [440, 0],
      parameters: { sortFieldsUi: { sortField: [{ fieldName: "n" }] }, options: {} },
    },
    {
      id: "d",
      name: "Mystery",
      type: "n8n-nodes-community.mystery",
      typeVersion: 1,
      position: [440, 200],
      parameters: {},
      disabled: true,
    },
  ],
  connections: {
    "When clicking ‘Execute workflow’": { main: [[{ node: "Code", type: "main", index: 0 }]] },
    Code: { main: [[{ node: "Sort", type: "main", index: 0 }]] },
  },
  settings: { executionOrder: "v1" },
  meta: { instanceId: "of another instance" },
};

test("a workflow of n8n is pasted, reported on, imported and run", () =>
  journey({}, async ({ page, call }) => {
    await page.goto("/workflows");
    await page.getByRole("button", { name: "Import" }).first().click();
    await page.getByRole("tab", { name: "Paste" }).click();
    await page.getByLabel("Workflow as JSON").fill(JSON.stringify(EXPORTED));
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^(Read|Check|Look|Next)/ })
      .click();
    await expect(page.getByRole("dialog")).toHaveText("n8n-nodes-community.mystery");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^Import/ })
      .click();
    await arriveAt(page, /\/workflow\//);
    await expect(page.locator(".react-flow__node")).toHaveCount(4);
    await page.getByRole("button", { name: "Run workflow" }).click();
    const newest = async () => (await call("GET", "/executions?includeData=true")).data[0];
    await until(async () => (await newest())?.status === "success", "the import did not run");
    const sorted = (await newest()).data.resultData.runData.Sort[0].data.main[0].map(
      (item) => item.json.n,
    );
    assert.deepEqual(sorted, [1, 2, 3]);
  }));

const TEMPLATES = new URL("../src/templates/", import.meta.url);

test("every template is made of nodes that are here, and one is used and answers", () =>
  journey({}, async ({ page, call, base }) => {
    for (const file of readdirSync(TEMPLATES).filter((name) => name.endsWith(".json"))) {
      const { workflow } = JSON.parse(readFileSync(new URL(file, TEMPLATES), "utf8"));
      const { name, nodes, connections, settings } = workflow;
      const report = await call("POST", "/workflows/check", { nodes, connections, settings });
      const strange = report.nodes.filter(
        ({ support }) => support === "unknown" || support === "version",
      );
      assert.deepEqual(strange, [], `${file}: ${name}`);
      const wrong = report.problems.filter(
        ({ severity, code }) => severity === "error" && !/CREDENTIAL/.test(code),
      );
      assert.deepEqual(wrong, [], `${file}: ${name}`);
    }
    await page.goto("/templates");
    await page.getByRole("button", { name: /greet/i }).first().click();
    await page.getByRole("button", { name: /^Use( this)? template/ }).click();
    await arriveAt(page, /\/workflow\//);
    await page.getByRole("switch", { name: "Active" }).click();
    const [workflow] = (await call("GET", "/workflows")).data;
    const webhook = workflow.nodes.find((node) => node.type === "n8n-nodes-base.webhook");
    const address = `${base}/webhook/${webhook.parameters.path}`;
    await until(async () => (await fetch(address)).status === 200, `${address} does not answer`);
  }));

test("a credential is made, changed without being shown, and removed", () =>
  journey({}, async ({ page, call }) => {
    await page.goto("/credentials");
    await page
      .getByRole("button", { name: /New credential|Add credential|Create/ })
      .first()
      .click();
    await page.getByLabel("Search services").fill("header auth");
    await page
      .getByRole("button", { name: /header/i })
      .first()
      .click();
    await page.getByLabel("Name", { exact: true }).first().fill("Shop");
    const secret = "s3cret-canary-value";
    const dialog = page.getByRole("dialog");
    const fields = dialog.getByRole("textbox");
    await fields.nth(1).fill("X-Shop");
    await dialog.getByLabel("Header value").fill(secret);
    await dialog.getByRole("button", { name: /^(Save|Create)/ }).click();
    await expect(page.getByRole("row", { name: /Shop/ })).toBeVisible();

    await page.getByRole("button", { name: "Actions for Shop" }).click();
    await page.getByRole("menuitem", { name: "Edit" }).click();
    await page.getByRole("dialog").waitFor();
    assert.ok(!(await page.content()).includes(secret), "the secret is on the page");
    assert.ok(
      !JSON.stringify(await call("GET", "/credentials")).includes(secret),
      "the secret is in the list",
    );
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Actions for Shop" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await expect(page.getByRole("heading", { name: "No credentials yet" })).toBeVisible();
  }));
