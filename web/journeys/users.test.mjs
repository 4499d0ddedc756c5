// People: a viewer is invited, comes in by the link, sees what was shared, and is shown no button that would be refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { expect } from "./expect.mjs";
import { journey } from "./harness.mjs";

/** What somebody who may only look must not be offered. */
const CHANGES =
  /^(New|Import|Invite|Add|Actions for folder|Edit$|Edit tags|Fork|Select|Run workflow|Save|Run again|Remove|Stop|Delete|Retry|Copy to editor)/;

test("a viewer is invited, sees a workflow and its run, and is offered nothing that would be refused", () =>
  journey({}, async ({ page, call, browser, prepare, base }) => {
    await page.goto("/settings/people");
    await page.getByRole("button", { name: "Invite users" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Email addresses").fill("vic@example.com");
    await dialog.getByRole("combobox", { name: /^Role/ }).click();
    await page.getByRole("option", { name: /^Viewer/ }).click();
    await dialog.getByRole("button", { name: "Invite" }).click();
    const link = page.getByText(/\/invitation#/);
    await expect(link).toBeVisible();
    const { pathname, hash } = new URL(await link.innerText());

    const project = await call("POST", "/projects", { name: "Shop" });
    const vic = (await call("GET", "/users")).data.find(
      (person) => person.email === "vic@example.com",
    );
    await call("POST", `/projects/${project.id}/users`, {
      relations: [{ userId: vic.id, role: "project:viewer" }],
    });
    const workflow = await call("POST", "/workflows", PRICES);
    await call("PUT", `/workflows/${workflow.id}/transfer`, { destinationProjectId: project.id });
    const table = await call("POST", "/data-tables", {
      name: "prices",
      columns: [{ name: "product", type: "string" }],
      projectId: project.id,
    });
    await call("POST", `/data-tables/${table.id}/rows`, {
      data: [{ product: "Tea" }],
      returnType: "count",
    });
    const collection = await call("POST", "/collections", {
      name: "handbook",
      projectId: project.id,
    });
    await call("POST", "/folders", { name: "Suppliers", projectId: project.id });
    const { executionId } = await call("POST", `/workflows/${workflow.id}/run`, {});

    const theirs = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      baseURL: base,
      reducedMotion: "reduce",
    });
    await prepare(theirs);
    theirs.setDefaultTimeout(15_000);
    const refused = [];
    theirs.on("response", (answer) => answer.status() === 403 && refused.push(answer.url()));
    const view = await theirs.newPage();
    await view.goto(`${pathname}${hash}`);
    await view.getByLabel("Password", { exact: true }).fill("another-long-password");
    await view.getByLabel("Password again").fill("another-long-password");
    await view.getByRole("button", { name: "Create account" }).click();
    await view.getByRole("link", { name: "Go on" }).click();
    await expect(view.getByRole("link", { name: "Prices" })).toBeVisible();
    const places = ["/executions", "/credentials", "/tables", "/variables", "/knowledge"];
    for (const path of [
      "/workflows",
      ...places,
      `/tables/${table.id}`,
      `/knowledge/${collection.id}`,
      `/workflow/${workflow.id}`,
      `/workflow/${workflow.id}/executions/${executionId}`,
    ]) {
      await view.goto(path);
      await view.locator("main").waitFor();
      await expect(view.getByRole("heading").or(view.locator(".react-flow__node"))).toBeVisible();
      const names = await view
        .getByRole("button")
        .evaluateAll((all) =>
          all
            .filter((one) => !one.disabled)
            .map((one) => one.getAttribute("aria-label") ?? one.textContent ?? ""),
        );
      assert.deepEqual(
        names.filter((name) => CHANGES.test(name)),
        [],
        `${path} offers what a viewer may not do`,
      );
    }
    await view.goto("/workflows");
    await expect(view.getByRole("button", { name: /^Suppliers/ })).toBeVisible();
    await view.keyboard.press("Control+k");
    await expect(view.getByRole("option", { name: "Executions" })).toBeVisible();
    assert.equal(
      await view.getByRole("option", { name: /^(New|Import)/ }).count(),
      0,
      "the palette offers to make something",
    );
    await view.goto(`/tables/${table.id}`);
    await view.getByText("Tea").click();
    assert.equal(
      await view.getByRole("textbox", { name: /^product of row/ }).count(),
      0,
      "a cell can be typed in",
    );
    assert.deepEqual(refused, [], "something was refused");
    await theirs.close();
  }));

const PRICES = {
  name: "Prices",
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
      name: "Last",
      type: "n8n-nodes-base.noOp",
      typeVersion: 1,
      position: [220, 0],
      parameters: {},
    },
  ],
  connections: { Start: { main: [[{ node: "Last", type: "main", index: 0 }]] } },
  settings: {},
};
