// Memory: what a workflow stored is found, corrected although somebody else was quicker, and deleted with all that is known of a user.
import assert from "node:assert/strict";
import { test } from "node:test";
import { expect, until } from "./expect.mjs";
import { journey } from "./harness.mjs";

const ENTRIES = [
  ["ada", "fact", "Ada drinks green tea in the morning."],
  ["ada", "note", "Ada moved to Lisbon in May."],
  ["grace", "fact", "Grace prefers coffee."],
];

test("an entry is found and corrected, a conflict is shown, and a user's data is deleted", () =>
  journey({ expected: ["409"] }, async ({ page, call }) => {
    await page.goto("/memory");
    await expect(page.getByRole("heading", { name: "No long-term memory yet" })).toBeVisible();
    const { memory, execution } = await remember(call);
    await page.goto("/memory");
    await page.getByRole("row", { name: /^people 3/ }).click();
    const table = page.getByRole("table", { name: "Entries" });
    await expect(table.getByRole("row")).toHaveCount(4);

    await page.getByRole("searchbox", { name: "Search entries" }).fill("tea");
    await expect(table.getByRole("row")).toHaveCount(2);
    await table.getByRole("row", { name: /green tea/ }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Fact about ada" });
    await expect(dialog.getByRole("link", { name: `Execution ${execution}` })).toBeVisible();
    const text = dialog.getByRole("textbox", { name: "Text" });
    assert.equal(await text.inputValue(), "Ada drinks green tea in the morning.");
    await text.fill("Ada drinks black tea in the morning.");
    const [entry] = (await call("GET", `/memories/${memory.id}/entries?subject=ada`)).data;
    await call("PATCH", `/memories/${memory.id}/entries/${entry.id}`, {
      version: entry.version,
      text: "Ada drinks mint tea in the morning.",
    });
    await dialog.getByRole("button", { name: "Save correction" }).click();
    await expect(dialog.getByRole("region", { name: "Their text and yours" })).toHaveText(
      "mint tea",
    );
    await dialog.getByRole("button", { name: /^Save over version/ }).click();
    await expect(page.getByText("Entry corrected")).toBeVisible();
    await expect(table.getByRole("row", { name: /black tea/ })).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await expect(table.getByRole("row", { name: /mint tea/ })).toBeVisible();

    await page.getByRole("button", { name: "Clear", exact: true }).click();
    await page.getByRole("combobox", { name: /^Kind/ }).click();
    await page.getByRole("option", { name: "Notes" }).click();
    await expect(table.getByRole("row", { name: /Lisbon/ })).toBeVisible();
    await table.getByRole("button", { name: "Delete everything about ada" }).click();
    const all = page.getByRole("dialog", { name: "Delete a user's data from people" });
    await all.getByRole("textbox").fill("ada");
    await all.getByRole("button", { name: "Delete everything" }).click();
    await expect(page.getByText("2 entries about ada deleted")).toBeVisible();
    await page
      .getByRole("button", { name: /^Clear/ })
      .first()
      .click();
    await expect(table.getByRole("row", { name: /Grace/ })).toBeVisible();
    await expect(table.getByRole("row")).toHaveCount(2);
  }));

/** Entries as a workflow stores them. */
async function remember(call) {
  const node = (name, type, parameters) => ({
    id: name,
    name,
    type,
    typeVersion: 1,
    position: [0, 0],
    parameters,
  });
  const to = (name) => ({ main: [[{ node: name, type: "main", index: 0 }]] });
  const steps = ENTRIES.map(([subject, kind, text], at) =>
    node(`Add ${at}`, "long-term-memory", {
      operation: "add",
      space: "people",
      subject,
      kind,
      text,
    }),
  );
  const names = ["Start", ...steps.map((step) => step.name)];
  const made = await call("POST", "/workflows", {
    name: "Remember",
    nodes: [node("Start", "n8n-nodes-base.manualTrigger", {}), ...steps],
    connections: Object.fromEntries(
      names.slice(0, -1).map((name, at) => [name, to(names[at + 1])]),
    ),
    settings: {},
  });
  const { executionId } = await call("POST", `/workflows/${made.id}/run`, {});
  let memory;
  await until(
    async () => {
      [memory] = (await call("GET", "/memories")).data;
      return memory?.entryCount === ENTRIES.length;
    },
    () => `the memory is ${JSON.stringify(memory)}`,
  );
  return { memory, execution: executionId };
}
