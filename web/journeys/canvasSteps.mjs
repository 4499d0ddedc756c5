// What people do on the canvas, in words that journeys are written in.
import { BROWSER } from "./browsers.mjs";
import { expect, until } from "./expect.mjs";

/** Waits for an address of the editor. Firefox does not tell the driver of those that change without a load. */
export function arriveAt(page, address) {
  return until(
    async () => address.test(await page.evaluate(() => window.location.href)),
    () => `not at ${address}`,
  );
}

/** A new, empty workflow, opened from the list. */
export async function newWorkflow(page) {
  await page.goto("/workflows");
  await page
    .getByRole("button", { name: /^(New|Create) workflow$/ })
    .first()
    .click();
  await arriveAt(page, /\/workflow\/[^/]+$/);
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
  await expect(search).toBeGone();
}

/**
 * Adds a node by one of the `+` of another. Firefox is told each step of a click on its own, and loses one on something that
 * the canvas has moved meanwhile.
 */
export async function addBy(page, button, words, name) {
  const plus = page.getByRole("button", { name: button }).first();
  await plus.click();
  const search = page.getByRole("combobox", { name: "Search nodes" });
  const isOpen = () =>
    search.waitFor({ timeout: 5000 }).then(
      () => true,
      () => false,
    );
  if (BROWSER === "firefox" && !(await isOpen())) await plus.click();
  await take(page, words, name);
}

/** Adds a node behind another by the `+` of its output. */
export function addAfter(page, before, words, name) {
  return addBy(page, `Add node after ${before}`, words, name);
}

/** The card of a node on the canvas, by its name or what its name looks like. */
export function card(page, name) {
  if (typeof name === "string") return page.locator(`.react-flow__node[data-id="${name}"]`);
  return page.locator(".react-flow__node").filter({ hasText: name }).first();
}

/** Closes the panel of a node, if one is open or about to be. */
export async function closePanel(page) {
  const panel = page.getByRole("dialog", { name: /^Node / });
  if ((await page.locator("main[data-open]").count()) === 0) return;
  await panel.waitFor();
  await panel.getByRole("button", { name: "Close", exact: true }).click();
  await expect(panel).toBeGone();
}

/** In Firefox each step of a click is a command of its own, and two clicks are not counted as a double one. */
export async function doubleClick(locator) {
  if (BROWSER !== "firefox") return locator.dblclick();
  await locator.click();
  await locator.dispatchEvent("dblclick");
}

/** Drags one thing onto another. Firefox begins no drag for a driver, so it is told the events of one. */
export async function drag(from, to) {
  if (BROWSER !== "firefox") return from.dragTo(to);
  const dataTransfer = await from.page().evaluateHandle(() => new DataTransfer());
  // What is dropped may be gone from its place before it is told so.
  const dragged = await from.elementHandle();
  await dragged.dispatchEvent("dragstart", { dataTransfer });
  for (const step of ["dragenter", "dragover", "drop"])
    await to.dispatchEvent(step, { dataTransfer });
  await dragged.dispatchEvent("dragend", { dataTransfer });
}

/** Opens the panel of a node, if it is not open already. */
export async function openNode(page, name) {
  const isOpen = (await page.locator(`main[data-open="${name}"]`).count()) > 0;
  if (isOpen) return panelOf(page, name).waitFor();
  await doubleClick(card(page, name));
  await panelOf(page, name).waitFor();
}

export function panelOf(page, name) {
  return page.getByRole("dialog", { name: `Node ${name}` });
}

export async function save(page) {
  await page.keyboard.press("Control+s");
  await expect(page.getByText("Saved", { exact: true })).toBeVisible();
}

/** Says something in the chat below the canvas, as soon as it takes a message. */
export async function say(page, text) {
  const field = page.getByRole("textbox", { name: "Message" });
  await field.fill(text);
  const send = page.getByRole("button", { name: "Send", exact: true });
  await until(
    () => send.isEnabled({ timeout: 1000 }),
    () => `“${text}” cannot be sent`,
  );
  await field.press("Enter");
}
