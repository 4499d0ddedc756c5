// Several workflows at once: chosen with Shift, tagged, put into a folder by a dialog and by dragging, archived and brought back.
import assert from "node:assert/strict";
import { test } from "node:test";
import { drag } from "./canvasSteps.mjs";
import { expect } from "./expect.mjs";
import { journey } from "./harness.mjs";

test("several workflows are chosen, tagged, moved, archived and brought back", () =>
  journey({}, async ({ page, call }) => {
    const folder = await call("POST", "/folders", { name: "Shop" });
    for (const name of ["One", "Two", "Three"]) {
      await call("POST", "/workflows", { name, nodes: [], connections: {}, settings: {} });
    }
    await page.goto("/workflows?sort=name");
    const bar = page.getByRole("toolbar", { name: "Selected workflows" });
    const box = (name) => page.getByRole("checkbox", { name: `Select ${name}` });
    await box("One").click();
    await box("Two").click({ modifiers: ["Shift"] });
    await expect(bar).toHaveText("3 workflows selected");

    await bar.getByRole("button", { name: "Tags" }).click();
    await page.keyboard.type("bulk");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Save tags" }).click();
    await expect(page.getByRole("row", { name: /Three/ })).toHaveText("bulk");

    await bar.getByRole("button", { name: "Archive 3" }).click();
    await expect(page.getByText("3 workflows archived")).toBeVisible();
    await page.getByRole("button", { name: "Undo" }).click();
    await box("Three").click();
    await bar.getByRole("button", { name: "Move" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("combobox", { name: "Folder" }).click();
    await page.getByRole("option", { name: /Shop/ }).click();
    await dialog.getByRole("button", { name: "Move" }).click();
    await expect(page.getByRole("link", { name: "Three" })).toBeGone();

    await box("One").click();
    await drag(
      page.getByRole("row", { name: /Two/ }),
      page.getByRole("listitem").filter({ hasText: "Shop" }),
    );
    await expect(page.getByText("1 workflow moved to Shop")).toBeVisible();
    await expect(page.getByRole("link", { name: "Two" })).toBeGone();
    await expect(page.getByRole("link", { name: "One" })).toBeVisible();

    const { data } = await call("GET", "/workflows");
    const rows = data.map((row) => [
      row.name,
      row.isArchived ?? false,
      row.parentFolderId ?? null,
      row.tags.map((tag) => tag.name),
    ]);
    assert.deepEqual(rows.sort(), [
      ["One", false, null, ["bulk"]],
      ["Three", false, folder.id, ["bulk"]],
      ["Two", false, folder.id, ["bulk"]],
    ]);
  }));
