// From the first start to a webhook that answers, built by hand; undo and redo; and the same with the keyboard alone.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addAfter,
  card,
  closePanel,
  newWorkflow,
  openNode,
  panelOf,
  save,
  take,
} from "./canvasSteps.mjs";
import { expect, until } from "./expect.mjs";
import { journey, OWNER } from "./harness.mjs";

/** The name that a node for setting fields gets. */
const SET = "Edit Fields (Set)";

test("the first start leads through the set-up to a webhook that was built by hand, run, and looked into", () =>
  journey({ owner: false, expected: ["401"] }, async ({ page, token, base }) => {
    await page.goto(`/setup#token=${token}`);
    await page.getByLabel("First name").fill(OWNER.firstName);
    await page.getByLabel("Last name").fill(OWNER.lastName);
    await page.getByLabel("Email").fill(OWNER.email);
    await page.getByLabel(/^Password/).fill(OWNER.password);
    await page.getByRole("button", { name: "Create account" }).click();
    await expect(page.getByRole("heading", { name: "Build your first workflow" })).toBeVisible();

    await newWorkflow(page);
    await page.getByRole("button", { name: /^Add/ }).first().click();
    await take(page, "webhook", "Webhook");
    await openOrStay(page, "Webhook");
    const webhook = panelOf(page, "Webhook");
    await webhook.getByLabel("Path", { exact: true }).fill("hello");
    await choose(webhook, page, "Respond", /Respond to Webhook/i);
    await closePanel(page);

    await addAfter(page, "Webhook", "edit fields", "Edit Fields");
    await openOrStay(page, SET);
    const set = panelOf(page, SET);
    await set.getByRole("button", { name: "Add field" }).click();
    await set.getByLabel("Name of field 1").fill("greeting");
    await set.getByRole("textbox", { name: "Value of greeting" }).fill("Hello from Heddle");
    await closePanel(page);

    await addAfter(page, SET, "respond to webhook", "Respond to Webhook");
    await closePanel(page);
    await save(page);

    await page.getByRole("button", { name: "Run workflow" }).click();
    await expect(page.getByText(`${base}/webhook-test/hello`)).toBeVisible();
    const answer = await fetch(`${base}/webhook-test/hello`);
    assert.equal(answer.status, 200, await answer.clone().text());
    assert.match(await answer.text(), /Hello from Heddle/);

    await openNode(page, SET);
    const output = panelOf(page, SET).getByRole("region", { name: "Output" });
    await expect(output).toHaveText("Hello from Heddle");
    await closePanel(page);

    await page.getByRole("switch", { name: "Active" }).click();
    await until(
      async () => (await fetch(`${base}/webhook/hello`)).status === 200,
      "the active workflow does not answer",
    );
  }));

test("every change can be undone and done again", () =>
  journey({}, async ({ page }) => {
    await newWorkflow(page);
    await page.getByRole("button", { name: /^Add/ }).first().click();
    await take(page, "manual", "Manual Trigger");
    await closePanel(page);
    await addAfter(page, "Manual Trigger", "limit", "Limit");
    await closePanel(page);
    await expect(page.locator(".react-flow__node")).toHaveCount(2);
    await card(page, "Limit").click();
    await page.keyboard.press("d");
    await page.keyboard.press("Delete");
    await expect(page.locator(".react-flow__node")).toHaveCount(1);
    await page.keyboard.press("Control+z");
    await expect(page.locator(".react-flow__node")).toHaveCount(2);
    await page.keyboard.press("Control+z");
    await page.keyboard.press("Control+z");
    await expect(page.locator(".react-flow__node")).toHaveCount(1);
    await page.keyboard.press("Control+Shift+z");
    await page.keyboard.press("Control+Shift+z");
    await page.keyboard.press("Control+Shift+z");
    await expect(page.locator(".react-flow__node")).toHaveCount(1);
  }));

test("a workflow is built and run with the keyboard alone", () =>
  journey({}, async ({ page }) => {
    await newWorkflow(page);
    await page.keyboard.press("Tab");
    await page.getByRole("combobox", { name: "Search nodes" }).waitFor();
    await page.keyboard.type("manual trigger");
    await page.keyboard.press("Enter");
    await expect(page.locator(".react-flow__node")).toHaveCount(1);
    await closePanel(page);
    await page.keyboard.press("Tab");
    await page.getByRole("combobox", { name: "Search nodes" }).waitFor();
    await page.keyboard.type("edit fields");
    await page.keyboard.press("Enter");
    await closePanel(page);
    await expect(page.locator(".react-flow__node")).toHaveCount(2);
    await expect(page.locator(".react-flow__edge")).toHaveCount(1);
    // The connection is taken away and made again between the two that are there.
    await page.keyboard.press("c");
    await page.getByRole("combobox", { name: "Node to connect with" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(page.locator(".react-flow__edge")).toHaveCount(0);
    await page.keyboard.press("c");
    await page.getByRole("combobox", { name: "Node to connect with" }).waitFor();
    await page.keyboard.type("manual");
    await page.keyboard.press("Enter");
    await expect(page.locator(".react-flow__edge")).toHaveCount(1);
    await page.keyboard.press("Control+s");
    await expect(page.getByText("Saved", { exact: true })).toBeVisible();
    await page.keyboard.press("Control+Enter");
    await expect(
      page.getByText("Succeeded").or(page.getByLabel(/Edit Fields: .*(1 item|succeeded|done)/i)),
    ).toBeVisible();
  }));

/** A node that was added may have opened its panel by itself. */
async function openOrStay(page, name) {
  if (!(await panelOf(page, name).isVisible())) await openNode(page, name);
}

async function choose(panel, page, label, option) {
  await panel.getByRole("combobox", { name: new RegExp(`^${label}:`) }).click();
  await page.getByRole("option", { name: option }).click();
}
