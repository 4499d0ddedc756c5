// What people do on the canvas, in words that journeys are written in.
import { expect } from "./expect.mjs";

/** A new, empty workflow, opened from the list. */
export async function newWorkflow(page) {
  await page.goto("/workflows");
  await page
    .getByRole("button", { name: /^(New|Create) workflow$/ })
    .first()
    .click();
  await page.waitForURL(/\/workflow\/[^/]+$/);
  await page.getByLabel(/^Canvas of /).waitFor();
}

/** Takes a node from the search that is open. */
export async function take(page, words, name = words) {
  const search = page.getByRole("combobox", { name: "Search nodes" });
  await search.fill(words);
  await page
    .getByRole("option", { name: new RegExp(`^${name}`) })
    .first()
    .click();
}

/** Adds a node behind another by the `+` of its output. */
export async function addAfter(page, before, words, name) {
  await page
    .getByRole("button", { name: `Add a node after ${before}` })
    .first()
    .click();
  await take(page, words, name);
}

/** The card of a node on the canvas, by its name or what its name looks like. */
export function card(page, name) {
  if (typeof name === "string") return page.locator(`.react-flow__node[data-id="${name}"]`);
  return page.locator(".react-flow__node").filter({ hasText: name }).first();
}

/** Closes the panel of a node, if one is open. */
export async function closePanel(page) {
  const panel = page.getByRole("dialog", { name: /^Node / });
  if (!(await panel.isVisible())) return;
  await panel.getByRole("button", { name: "Close", exact: true }).click();
  await expect(panel).toBeGone();
}

/** Opens the panel of a node. */
export async function openNode(page, name) {
  await card(page, name).dblclick();
  await panelOf(page, name).waitFor();
}

export function panelOf(page, name) {
  return page.getByRole("dialog", { name: `Node ${name}` });
}

export async function save(page) {
  await page.keyboard.press("Control+s");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
}
