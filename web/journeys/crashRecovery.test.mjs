// What goes wrong in one part of the page stays there, is told to the server's log, and costs nobody their unsaved work.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addAfter,
  arriveAt,
  card,
  closePanel,
  doubleClick,
  openNode,
  panelOf,
  save,
  take,
} from "./canvasSteps.mjs";
import { expect, until } from "./expect.mjs";
import { journey } from "./harness.mjs";

/** What the broken browser below says. */
const BROKEN = "scrollIntoView is broken";

test("issue_14_00_lists_work_in_a_browser_whose_scrollIntoView_gives_a_promise", () =>
  journey({}, async ({ page, call }) => {
    await page.addInitScript(() => {
      const scroll = Element.prototype.scrollIntoView;
      Element.prototype.scrollIntoView = function (...where) {
        scroll.apply(this, where);
        return Promise.resolve();
      };
    });
    const { id } = await call("POST", "/workflows", SMALL);
    await page.goto(`/workflow/${id}`);
    await card(page, "Start").waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search commands" }).waitFor();
    await page.keyboard.type("exec");
    await expect(page.getByRole("option", { name: "Executions" })).toBeVisible();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Escape");
    await openNode(page, "Keep");
    const list = panelOf(page, "Keep").getByRole("combobox", { name: /^Keep/ });
    await list.click();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(panelOf(page, "Keep").getByRole("combobox", { name: /Last/ })).toBeVisible();
    await closePanel(page);
    await expect(card(page, "Keep")).toBeVisible();
  }));

test("issue_14_00_a_crash_in_a_list_or_the_palette_leaves_the_canvas_and_its_unsaved_work_alone", () =>
  // Firefox has no words for an error that is logged.
  journey({ expected: [BROKEN, /^Error$/] }, async ({ page, call, said }) => {
    const { id } = await call("POST", "/workflows", SMALL);
    await page.goto(`/workflow/${id}`);
    await card(page, "Keep").waitFor();
    await addAfter(page, "Keep", "no operation", "No Operation");
    await closePanel(page);
    await breakScrolling(page, BROKEN);

    await openNode(page, "Keep");
    await panelOf(page, "Keep").getByRole("combobox", { name: /^Keep/ }).click();
    await expect(page.getByRole("alert")).toHaveText("This list stopped working");
    await page.keyboard.press("Escape");
    await expect(panelOf(page, "Keep")).toBeVisible();
    await closePanel(page);

    await page.keyboard.press("Control+k");
    const alert = page
      .getByRole("alert")
      .filter({ hasText: "The command palette stopped working" });
    await expect(alert).toHaveText(BROKEN);
    await alert.getByRole("button", { name: "Copy details" }).click();
    await expect(alert.getByRole("button", { name: "Copied" })).toBeVisible();
    assert.match(
      await page.evaluate(() => navigator.clipboard.readText()),
      new RegExp(`${BROKEN}[^]*Components:`),
    );
    await mendScrolling(page);
    await alert.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("combobox", { name: "Search commands" }).fill("exec");
    await expect(page.getByRole("option", { name: "Executions" })).toBeVisible();
    await page.keyboard.press("Escape");

    await expect(page.getByText("Not saved")).toBeVisible();
    await expect(page.locator(".react-flow__node")).toHaveCount(3);
    await save(page);
    assert.equal((await call("GET", `/workflows/${id}`)).nodes.length, 3);

    await until(
      () => /WARN.*Client error\.|Client error\./.test(said()),
      "the server's log says nothing",
    );
    const lines = said()
      .split("\n")
      .filter((line) => line.includes("Client error."));
    assert.equal(lines.length, 2, lines.join("\n"));
    assert.match(lines[0], new RegExp(`${BROKEN}.*part="This list".*page="/workflow/${id}"`));
  }));

test("issue_14_00_a_list_that_fails_while_it_closes_and_a_panel_that_fails_while_it_opens_can_be_opened_again", () =>
  journey({ expected: ["is broken", /^Error$/] }, async ({ page, call }) => {
    await page.addInitScript(() => {
      const { disconnect } = ResizeObserver.prototype;
      ResizeObserver.prototype.disconnect = function () {
        disconnect.call(this);
        if (window.isClosingBroken) throw new Error("disconnect is broken");
      };
      const { focus } = HTMLElement.prototype;
      HTMLElement.prototype.focus = function (...how) {
        if (window.isPanelBroken && this.ariaLabel?.startsWith("Node "))
          throw new Error("focus is broken");
        focus.apply(this, how);
      };
    });
    const { id } = await call("POST", "/workflows", SMALL);
    await page.goto(`/workflow/${id}`);
    await card(page, "Keep").waitFor();
    await page.evaluate(() => {
      window.isPanelBroken = true;
    });
    await doubleClick(card(page, "Keep"));
    const alert = page.getByRole("alert").filter({ hasText: "The node panel stopped working" });
    await expect(alert).toHaveText("focus is broken");
    await page.evaluate(() => {
      window.isPanelBroken = false;
    });
    await alert.getByRole("button", { name: "Try again" }).click();
    const list = panelOf(page, "Keep").getByRole("combobox", { name: /^Keep/ });
    await list.click();
    await page.getByRole("option").first().waitFor();
    await page.evaluate(() => {
      window.isClosingBroken = true;
    });
    await page.keyboard.press("Escape");
    await expect(page.getByRole("option")).toBeGone();
    await page.evaluate(() => {
      window.isClosingBroken = false;
    });
    await expect(panelOf(page, "Keep")).toBeVisible();
    await list.click();
    await page.getByRole("option", { name: /Last/ }).click();
    await expect(panelOf(page, "Keep").getByRole("combobox", { name: /Last/ })).toBeVisible();
    await closePanel(page);
    await expect(page.getByText("Not saved")).toBeVisible();
    await save(page);
  }));

test("issue_14_00_unsaved_changes_survive_a_page_that_is_killed", () =>
  journey({}, async (world) => {
    const { call, context } = world;
    const { id } = await call("POST", "/workflows", SMALL);
    await world.page.goto(`/workflow/${id}`);
    await card(world.page, "Keep").waitFor();
    await addAfter(world.page, "Keep", "no operation", "No Operation");
    await closePanel(world.page);
    await until(async () => (await drafts(world.page)) === 1, "nothing is kept in the browser");
    await world.page.close({ runBeforeUnload: false });

    world.page = await context.newPage();
    await world.page.goto(`/workflow/${id}`);
    const bar = world.page.getByRole("region", { name: "Unsaved changes" });
    await expect(bar).toHaveText("1 added");
    await expect(world.page.locator(".react-flow__node")).toHaveCount(2);
    await bar.getByRole("button", { name: "Restore unsaved changes" }).click();
    await expect(world.page.locator(".react-flow__node")).toHaveCount(3);
    await expect(bar).toBeGone();
    await save(world.page);
    assert.equal(await drafts(world.page), 0);
    assert.equal((await call("GET", `/workflows/${id}`)).nodes.length, 3);
    await world.page.reload();
    await card(world.page, "Keep").waitFor();
    assert.equal(await bar.count(), 0, "what was saved is offered again");
  }));

test("issue_14_00_a_workflow_that_was_never_saved_survives_a_reload", () =>
  journey({}, async ({ page, call }) => {
    page.on("dialog", (dialog) => void dialog.accept());
    await page.goto("/workflow/new");
    await page.getByRole("button", { name: /^Add/ }).first().click();
    await take(page, "manual", "Manual Trigger");
    await closePanel(page);
    // At once: what is kept is written while the page goes.
    await page.reload();
    const bar = page.getByRole("region", { name: "Unsaved changes" });
    await expect(bar).toHaveText("Unsaved workflow “My workflow”");
    await bar.getByRole("button", { name: "Restore unsaved changes" }).click();
    await expect(page.locator(".react-flow__node")).toHaveCount(1);
    await save(page);
    assert.equal((await call("GET", "/workflows")).data.length, 1);
    assert.equal(await drafts(page), 0);
  }));

test("issue_14_00_unsaved_changes_never_replace_a_newer_version_unasked_and_go_when_one_signs_out", () =>
  journey({ expected: ["401"] }, async (world) => {
    const { call, context } = world;
    const { id } = await call("POST", "/workflows", SMALL);
    const change = async () => {
      await card(world.page, "Keep").waitFor();
      await addAfter(world.page, "Keep", "no operation", "No Operation");
      await closePanel(world.page);
      await until(async () => (await drafts(world.page)) === 1, "nothing is kept in the browser");
      await world.page.close({ runBeforeUnload: false });
      world.page = await context.newPage();
    };
    await world.page.goto(`/workflow/${id}`);
    await change();
    await call("PUT", `/workflows/${id}`, { ...SMALL, name: "Saved elsewhere" });
    await world.page.goto(`/workflow/${id}`);
    const bar = () => world.page.getByRole("region", { name: "Unsaved changes" });
    await expect(bar()).toHaveText("This workflow was saved again");
    await expect(world.page.getByRole("heading", { name: "Saved elsewhere" })).toBeVisible();
    await expect(world.page.locator(".react-flow__node")).toHaveCount(2);
    await bar().getByRole("button", { name: "Discard" }).click();
    await expect(bar()).toBeGone();
    assert.equal(await drafts(world.page), 0);

    await change();
    await world.page.goto("/settings");
    assert.equal(await drafts(world.page), 1);
    await world.page.getByRole("button", { name: "Sign out" }).click();
    await arriveAt(world.page, /\/signin/);
    assert.equal(await drafts(world.page), 0);
  }));

/** Makes the browser fail where lists are scrolled, as a new version of it once did. */
function breakScrolling(page, words) {
  return page.evaluate((message) => {
    window.scrollIntoViewBefore = Element.prototype.scrollIntoView;
    Element.prototype.scrollIntoView = () => {
      throw new Error(message);
    };
  }, words);
}

function mendScrolling(page) {
  return page.evaluate(() => {
    Element.prototype.scrollIntoView = window.scrollIntoViewBefore;
  });
}

/** How many drafts the browser keeps. */
function drafts(page) {
  return page.evaluate(
    () => Object.keys(localStorage).filter((key) => key.startsWith("heddle.draft/")).length,
  );
}

const SMALL = {
  name: "Small",
  nodes: [
    {
      id: "1",
      name: "Start",
      type: "n8n-nodes-base.manualTrigger",
      typeVersion: 1,
      position: [0, 0],
      parameters: {},
    },
    {
      id: "2",
      name: "Keep",
      type: "n8n-nodes-base.limit",
      typeVersion: 1,
      position: [220, 0],
      parameters: { maxItems: 1, keep: "firstItems" },
    },
  ],
  connections: { Start: { main: [[{ node: "Keep", type: "main", index: 0 }]] } },
  settings: {},
};
