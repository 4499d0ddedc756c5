// The canvas by hand and by keyboard: where new nodes land, what the search puts first, ways in and out, and cutting out a sub-workflow.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addAfter,
  addBy,
  card,
  closePanel,
  newWorkflow,
  panelOf,
  save,
  take,
} from "./canvasSteps.mjs";
import { expect, until } from "./expect.mjs";
import { journey } from "./harness.mjs";

const search = (page) => page.getByRole("combobox", { name: "Search nodes" });
const options = (page) => page.getByRole("listbox").getByRole("option");
const canvas = (page) => page.getByLabel(/^Canvas of /);

async function boxOf(page, name) {
  await card(page, name).waitFor();
  return card(page, name).boundingBox();
}

/** A new workflow that begins with a trigger. */
async function begin(page, words, name = words) {
  await newWorkflow(page);
  await canvas(page).focus();
  await page.keyboard.press("Tab");
  await take(page, words, name);
  await closePanel(page);
}

test("a new node lands in sight and opens, unless that is turned off", () =>
  journey({}, async ({ page }) => {
    await begin(page, "webhook", "Webhook");
    let last = "Webhook";
    for (let at = 0; at < 8; at++) {
      await addAfter(page, last, "edit fields", "Edit Fields");
      last = at === 0 ? "Edit Fields (Set)" : `Edit Fields (Set)${at}`;
      await panelOf(page, last).waitFor();
      await closePanel(page);
    }
    const frame = await canvas(page).boundingBox();
    const inSight = async () => {
      const box = await boxOf(page, last);
      return box.x >= frame.x && box.x + box.width <= frame.x + frame.width;
    };
    await until(inSight, "the last node is out of sight");
    await page.getByRole("button", { name: `Add node after ${last}` }).click();
    await page.getByRole("checkbox", { name: "Open it after adding" }).click();
    await take(page, "limit", "Limit");
    await expect(card(page, "Limit")).toBeVisible();
    await expect(panelOf(page, "Limit")).toHaveCount(0);
  }));

test("model, memory and tools stand in a row below their agent", () =>
  journey({}, async ({ page }) => {
    await begin(page, "chat trigger", "Chat Trigger");
    await addAfter(page, "Chat Trigger", "agent", "AI Agent");
    await closePanel(page);
    for (const [button, words, name] of [
      ["Add: Model", "openai", "OpenAI Model"],
      ["Add: Memory", "window", "Window Memory"],
      ["Add: Tools", "calculator", "Calculator"],
      ["Add: Tools", "think", "Think"],
    ]) {
      await addBy(page, button, words, name);
      await closePanel(page);
    }
    const agent = await boxOf(page, "AI Agent");
    const row = [];
    for (const name of ["OpenAI Model", "Window Memory", "Calculator", "Think"])
      row.push(await boxOf(page, name));
    assert.equal(new Set(row.map(({ y }) => Math.round(y))).size, 1, "they are not in one row");
    assert.ok(row.every(({ y }) => y > agent.y + agent.height));
    for (let at = 1; at < row.length; at++)
      assert.ok(row[at].x >= row[at - 1].x + row[at - 1].width, "they are not in order");
  }));

test("the search puts first what is meant, and tells apart what does the same", () =>
  journey({}, async ({ page }) => {
    await begin(page, "webhook", "Webhook");
    await page.getByRole("button", { name: "Add node after Webhook" }).click();
    await search(page).fill("agent");
    await expect(options(page).first()).toHaveText("AI Agent");
    await expect(options(page).first()).toHaveText("Recommended");
    await expect(options(page).filter({ hasText: "AI Agent (n8n)" })).toHaveText("As in n8n");
    await search(page).fill("respond");
    await expect(options(page).first()).toHaveText("Respond to Webhook");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Delete");
    await page.keyboard.press("Tab");
    await take(page, "chat trigger", "Chat Trigger");
    await closePanel(page);
    await page.getByRole("button", { name: "Add node after Chat Trigger" }).click();
    await search(page).fill("respond");
    await expect(options(page).first()).toHaveText("Respond to Chat");
  }));

test("Tab leads from the canvas into the search and on to what follows, and the search makes way", () =>
  journey({}, async ({ page }) => {
    await begin(page, "manual", "Manual Trigger");
    await canvas(page).focus();
    await page.keyboard.press("Tab");
    await search(page).waitFor();
    const isInDrawer = () =>
      page.evaluate(() => document.activeElement?.closest("section[aria-label=Run]") !== null);
    for (let presses = 0; presses < 12 && !(await isInDrawer()); presses++)
      await page.keyboard.press("Tab");
    assert.ok(await isInDrawer(), "Tab does not lead out");
    await expect(search(page)).toBeGone();
  }));

test("the buttons above a node go when something is added behind it", () =>
  journey({}, async ({ page }) => {
    await begin(page, "manual", "Manual Trigger");
    const bar = page.getByRole("toolbar", { name: "Manual Trigger" });
    await card(page, "Manual Trigger").hover();
    await expect(bar).toBeVisible();
    await page.getByRole("button", { name: "Add node after Manual Trigger" }).click();
    await search(page).waitFor();
    await expect(bar).toBeGone();
    await page.keyboard.press("Escape");
    await expect(bar).toBeGone();
  }));

test("a note lies behind nodes and above the ground", () =>
  journey({}, async ({ page }) => {
    await begin(page, "manual", "Manual Trigger");
    await canvas(page).focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.press("Shift+s");
    await page.keyboard.type("Behind");
    await page.keyboard.press("Escape");
    const box = await boxOf(page, "Manual Trigger");
    const note = await boxOf(page, "Sticky Note");
    const topmost = (x, y) =>
      page.evaluate(
        ([left, top]) =>
          document
            .elementFromPoint(left, top)
            ?.closest(".react-flow__node")
            ?.getAttribute("data-id") ?? null,
        [x, y],
      );
    assert.equal(await topmost(box.x + 20, box.y + 20), "Manual Trigger");
    assert.equal(await topmost(note.x + 12, note.y + note.height - 12), "Sticky Note");
  }));

test("selected nodes become a workflow of their own, which is called in their place, and that can be undone", () =>
  journey({}, async ({ page, call }) => {
    await begin(page, "manual", "Manual Trigger");
    await addAfter(page, "Manual Trigger", "edit fields", "Edit Fields");
    await closePanel(page);
    await addAfter(page, "Edit Fields (Set)", "limit", "Limit");
    await closePanel(page);
    await addAfter(page, "Limit", "no operation", "No Operation");
    await closePanel(page);
    await save(page);
    await card(page, "Edit Fields (Set)").click();
    await card(page, "Limit").click({ modifiers: ["Control"] });
    await card(page, "Limit").click({ button: "right" });
    await page.getByRole("menuitem", { name: /^Convert 2 nodes to sub-workflow/ }).click();
    await expect(page.getByRole("region", { name: "Notifications" })).toHaveText(
      "2 nodes moved to",
    );
    await expect(page.locator(".react-flow__node")).toHaveCount(3);
    const all = (await call("GET", "/workflows")).data;
    const made = all.find((one) => one.name.endsWith(": Edit Fields (Set)"));
    assert.deepEqual(
      made.nodes.map((one) => one.name),
      ["When called", "Edit Fields (Set)", "Limit"],
    );
    await page.getByRole("button", { name: "Run workflow" }).click();
    const newest = async () =>
      (await call("GET", "/executions?includeData=true")).data.find(
        (one) => one.workflowId !== made.id,
      );
    await until(async () => (await newest())?.status === "success", "the call did not run");
    await canvas(page).focus();
    await page.keyboard.press("Control+z");
    await expect(page.locator(".react-flow__node")).toHaveCount(4);
    await expect(card(page, "Limit")).toBeVisible();
  }));
