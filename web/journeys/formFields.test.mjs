// What a new user does in the form of a node: expressions in fixed fields, dropped numbers, renamed nodes, and undoing it all.
import assert from "node:assert/strict";
import { test } from "node:test";
import { arriveAt, card, closePanel, drag, openNode, panelOf, save } from "./canvasSteps.mjs";
import { expect, until } from "./expect.mjs";
import { journey } from "./harness.mjs";

test("code typed or pasted into a fixed field makes it an expression at once", () =>
  journey({}, async ({ page, call, context }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const { id } = await call("POST", "/workflows", STEPS);
    await page.goto(`/workflow/${id}`);
    await openNode(page, "Call");
    const panel = panelOf(page, "Call");
    await panel.getByRole("textbox", { name: "URL" }).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("http://127.0.0.1:9/{{ $json.n }}", { delay: 20 });
    await expect(panel.locator(".cm-content").first()).toHaveText(
      "http://127.0.0.1:9/{{ $json.n }}",
    );
    await closePanel(page);
    await openNode(page, "Fields");
    const fields = panelOf(page, "Fields");
    await fields
      .getByRole("textbox", { name: "Value of n" })
      .or(fields.getByLabel("Value of n"))
      .first()
      .click();
    await page.evaluate(() => navigator.clipboard.writeText("{{ $now.year }}"));
    await page.keyboard.press("Control+v");
    await expect(fields.locator(".cm-content").first()).toHaveText("{{ $now.year }}");
    await closePanel(page);
    await save(page);
    const { nodes } = await call("GET", `/workflows/${id}`);
    const parameters = Object.fromEntries(nodes.map((node) => [node.name, node.parameters]));
    assert.equal(parameters.Call.url, "=http://127.0.0.1:9/{{ $json.n }}");
    assert.equal(parameters.Fields.assignments.assignments[0].value, "={{ $now.year }}");
  }));

test("an expression is the same whether the code editor was there for its first key or came late", () =>
  journey({}, async ({ page, call }) => {
    let load;
    const typed = new Promise((resolve) => {
      load = resolve;
    });
    await page.route("**/assets/codeMirrorEditor-*", async (route) => {
      await typed;
      await route.continue();
    });
    const { id } = await call("POST", "/workflows", STEPS);
    await page.goto(`/workflow/${id}`);
    await openNode(page, "Call");
    const panel = panelOf(page, "Call");
    const plain = panel.getByRole("textbox", { name: "URL" });
    await plain.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("http://127.0.0.1:9/{{ $json.n }}/{{");
    assert.equal(await plain.inputValue(), "http://127.0.0.1:9/{{ $json.n }}/{{");
    load();
    await expect(panel.locator(".cm-content").first()).toHaveText(
      "http://127.0.0.1:9/{{ $json.n }}/{{",
    );
    await page.keyboard.type(" $json.m }}");
    await expect(panel.locator(".cm-content").first()).toHaveText(
      "http://127.0.0.1:9/{{ $json.n }}/{{ $json.m }}",
    );
  }));

test("a number dropped on the condition of a new If is compared as a number, and results follow a new name", () =>
  journey({}, async ({ page, call }) => {
    const { id } = await call("POST", "/workflows", STEPS);
    await page.goto(`/workflow/${id}`);
    await openNode(page, "If");
    const panel = panelOf(page, "If");
    await expect(panel.getByRole("textbox", { name: "First value of condition 1" })).toBeVisible();
    await closePanel(page);
    await openNode(page, "Fields");
    await panelOf(page, "Fields").getByRole("button", { name: "Test step" }).first().click();
    const output = panelOf(page, "Fields").getByRole("region", { name: "Output" });
    await expect(output).toHaveText("12");

    const name = panelOf(page, "Fields").getByRole("textbox", { name: "Node name" });
    await name.fill("Numbers");
    await name.press("Enter");
    const renamed = panelOf(page, "Numbers").getByRole("region", { name: "Output" });
    await expect(renamed).toHaveText("12");
    await closePanel(page);

    await openNode(page, "If");
    const input = panel.getByRole("region", { name: "Input" });
    await expect(input).toHaveText("12");
    await drag(
      input.locator("[draggable=true]").filter({ hasText: "n" }).first(),
      panel.getByRole("textbox", { name: "First value of condition 1" }),
    );
    await expect(panel.getByRole("combobox", { name: "Operator of condition 1" })).toHaveText(
      "is equal to",
    );
    await closePanel(page);
    await save(page);
    const { nodes } = await call("GET", `/workflows/${id}`);
    const [condition] = nodes.find((node) => node.name === "If").parameters.conditions.conditions;
    assert.deepEqual([condition.leftValue, condition.operator.type], ["={{ $json.n }}", "number"]);
  }));

test("fields and canvas have one history, and leaving offers to save", () =>
  journey({}, async ({ page, call }) => {
    const { id } = await call("POST", "/workflows", STEPS);
    await page.goto(`/workflow/${id}`);
    await openNode(page, "Call");
    const url = panelOf(page, "Call").getByRole("textbox", { name: "URL" });
    await url.fill("http://127.0.0.1:9/changed");
    await url.press("Control+z");
    await until(
      async () => (await url.inputValue()) === "http://127.0.0.1:9/",
      "the field was not undone",
    );
    await url.press("Control+Shift+z");
    await until(
      async () => (await url.inputValue()) === "http://127.0.0.1:9/changed",
      "the field was not redone",
    );
    await closePanel(page);
    await expect(page.getByText(/draft kept/)).toBeVisible();
    await page.keyboard.press("Control+z");
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    await page.keyboard.press("Control+Shift+z");

    await page.getByRole("link", { name: "Workflows" }).first().click();
    await page.getByRole("button", { name: "Save and leave" }).click();
    await arriveAt(page, /\/workflows$/);
    const stored = await call("GET", `/workflows/${id}`);
    const { parameters } = stored.nodes.find((node) => node.name === "Call");
    assert.equal(parameters.url, "http://127.0.0.1:9/changed");
    await page.goto(`/workflow/${id}`);
    await card(page, "Call").waitFor();
  }));

const node = (at, name, type, typeVersion, parameters = {}) => ({
  id: name,
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [at * 220, 0],
  parameters,
});
const to = (name) => ({ main: [[{ node: name, type: "main", index: 0 }]] });

const STEPS = {
  name: "Steps",
  nodes: [
    node(0, "Start", "manualTrigger", 1),
    node(1, "Fields", "set", 3.4, {
      assignments: { assignments: [{ id: "a", name: "n", type: "number", value: 12 }] },
      options: {},
    }),
    node(2, "If", "if", 2.2),
    node(3, "Call", "httpRequest", 4.2, { url: "http://127.0.0.1:9/" }),
  ],
  connections: { Start: to("Fields"), Fields: to("If"), If: to("Call") },
  settings: {},
};
