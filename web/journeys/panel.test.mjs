// Values of a node filled in as people do it: by typing without waiting, from one new entry to the next.
import assert from "node:assert/strict";
import { test } from "node:test";
import { openNode, panelOf, save } from "./canvasSteps.mjs";
import { expect } from "./expect.mjs";
import { journey } from "./harness.mjs";

test("what is typed into a new entry is what is saved: expressions, fractions and names", () =>
  journey({}, async ({ page, call }) => {
    const { id } = await call("POST", "/workflows", FORM);
    await page.goto(`/workflow/${id}`);

    await openNode(page, "Fields");
    const fields = panelOf(page, "Fields");
    await fields.getByRole("button", { name: "Add field" }).click();
    await page.keyboard.type("total");
    await fields.getByRole("textbox", { name: "Value of total" }).click();
    // The code editor is not there yet when the first letters come, and its brackets close themselves when it is.
    await page.keyboard.type("={{ $json.n }} pieces");
    await expect(fields.locator(".cm-content")).toHaveText("{{ $json.n }} pieces");
    await fields.getByRole("button", { name: "Close", exact: true }).click();

    await openNode(page, "If");
    const conditions = panelOf(page, "If");
    await conditions.getByRole("textbox", { name: "First value of condition 1" }).click();
    await page.keyboard.type("7");
    await conditions.getByRole("combobox", { name: "Operator of condition 1" }).click();
    await page.keyboard.type("is greater than");
    await page.keyboard.press("Enter");
    await conditions.getByRole("textbox", { name: "Second value of condition 1" }).click();
    await page.keyboard.type("4.5");
    await conditions.getByRole("button", { name: "Close", exact: true }).click();

    await openNode(page, "Call");
    const request = panelOf(page, "Call");
    await request.getByRole("switch", { name: "Send query parameters" }).click();
    for (const name of ["page", "size"]) {
      await request.getByRole("button", { name: "Add parameter" }).click();
      await page.keyboard.type(name);
    }
    await request.getByRole("button", { name: "Add option" }).click();
    await page.getByRole("menuitem", { name: "Timeout" }).click();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("2500");
    await request.getByRole("button", { name: "Close", exact: true }).click();

    await save(page);
    const { nodes } = await call("GET", `/workflows/${id}`);
    const parameters = Object.fromEntries(nodes.map((node) => [node.name, node.parameters]));
    assert.equal(parameters.Fields.assignments.assignments[0].name, "total");
    assert.equal(parameters.Fields.assignments.assignments[0].value, "={{ $json.n }} pieces");
    const [condition] = parameters.If.conditions.conditions;
    assert.deepEqual([condition.leftValue, condition.rightValue], [7, 4.5]);
    assert.deepEqual(parameters.Call.queryParameters.parameters, [
      { name: "page" },
      { name: "size" },
    ]);
    assert.equal(parameters.Call.options.timeout, 2500);
  }));

test("node types that were lost with the connection are asked for until they come", () =>
  journey({ expected: ["net::ERR_FAILED"] }, async ({ page, call }) => {
    const { id } = await call("POST", "/workflows", FORM);
    let lost = 0;
    await page.route("**/api/v1/node-types", (route) => {
      lost += 1;
      return lost <= 4 ? route.abort() : route.continue();
    });
    await page.goto(`/workflow/${id}`);
    await openNode(page, "If");
    await expect(panelOf(page, "If").getByRole("button", { name: "Add condition" })).toBeVisible();
    assert.equal(lost, 5);
  }));

const node = (id, name, type, typeVersion, parameters = {}) => ({
  id: String(id),
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [id * 200, 0],
  parameters,
});
const to = (name) => ({ main: [[{ node: name, type: "main", index: 0 }]] });

const FORM = {
  name: "Form",
  nodes: [
    node(0, "Start", "manualTrigger", 1),
    node(1, "Fields", "set", 3.4),
    node(2, "If", "if", 2.2),
    node(3, "Call", "httpRequest", 4.2, { url: "http://127.0.0.1:9/" }),
  ],
  connections: { Start: to("Fields"), Fields: to("If"), If: to("Call") },
  settings: {},
};
