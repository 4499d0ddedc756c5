// The pages around the canvas as a new user walks them: executions, tables, knowledge, templates, credentials and one's own account.
import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { arriveAt } from "./canvasSteps.mjs";
import { expect, until } from "./expect.mjs";
import { journey, OWNER } from "./harness.mjs";
import { startModels } from "./mockModels.mjs";

let models;
before(async () => {
  models = await startModels();
});
after(() => models.stop());

test("executions stand beside the one that is open, with what went wrong", () =>
  journey({}, async ({ page, call }) => {
    const { id } = await call("POST", "/workflows", FAILING);
    for (const _ of [1, 2]) await call("POST", `/workflows/${id}/run`, {});
    const done = async () => (await call("GET", `/executions?workflowId=${id}`)).data;
    await until(
      async () => (await done()).filter((one) => one.status === "error").length === 2,
      "the workflow did not fail twice",
    );
    const [last, first] = (await done()).map((one) => String(one.id));
    await page.goto("/executions");
    await expect(page.getByText("The shelf is empty")).toBeVisible();
    await page.goto(`/workflow/${id}/executions/${last}`);
    const list = page.getByRole("complementary", { name: "Executions of this workflow" });
    await expect(list).toHaveText("The shelf is empty");
    await page.evaluate(() => {
      window.isSamePage = true;
    });
    await list.locator(`a[href$="/executions/${first}"]`).click();
    await arriveAt(page, new RegExp(`/executions/${first}$`));
    await expect(page.getByRole("region", { name: `Execution ${first}` })).toHaveText("Failed");
    assert.equal(await page.evaluate(() => window.isSamePage), true, "the page was left");
  }));

test("a row that is added is typed in at once", () =>
  journey({}, async ({ page, call }) => {
    const table = await call("POST", "/data-tables", {
      name: "prices",
      columns: [
        { name: "product", type: "string" },
        { name: "price", type: "number" },
      ],
    });
    await page.goto(`/tables/${table.id}`);
    await page.getByRole("button", { name: "Add row" }).click();
    await expect(page.getByRole("textbox", { name: /^product of row/ })).toBeVisible();
    await page.keyboard.type("Tea");
    await page.keyboard.press("Tab");
    await page.keyboard.type("4.5");
    await page.keyboard.press("Enter");
    await until(async () => {
      const { data } = await call("GET", `/data-tables/${table.id}/rows`);
      return data[0]?.product === "Tea" && data[0]?.price === 4.5;
    }, "the row was not filled in");
  }));

test("knowledge offers to download the built-in model, and says why it could not", async () => {
  const folder = await mkdtemp(join(tmpdir(), "heddle-no-pip-"));
  for (const name of ["python3", "pip3", "pip"]) {
    await writeFile(join(folder, name), "#!/bin/sh\necho 'ERROR: no network here' >&2\nexit 1\n");
    await chmod(join(folder, name), 0o755);
  }
  const settings = { PATH: `${folder}:${process.env.PATH}` };
  await journey({ settings }, async ({ page }) => {
    await page.goto("/knowledge");
    await page
      .getByRole("button", { name: /^(New|Create) collection$/ })
      .first()
      .click();
    await page.getByLabel("Name").fill("handbook");
    await page.getByRole("button", { name: "Create collection" }).last().click();
    const notice = page.getByRole("region", { name: "Built-in embedding model" });
    await expect(notice).toHaveText("needs no API key");
    await notice.getByRole("button", { name: /^Download/ }).click();
    await expect(notice.getByRole("alert")).toHaveText("no network here");
    await expect(notice.getByRole("button", { name: "Try again" })).toBeVisible();
    await page.goto("/settings/instance");
    await expect(page.getByRole("region", { name: "Built-in models" })).toHaveText(
      "Download failed",
    );
    await expect(page.getByRole("region", { name: "Outgoing requests" })).toHaveText("127.0.0.1");
  });
  await rm(folder, { recursive: true, force: true });
});

test("a credential is tested before its dialog closes, and a template takes it when asked", () =>
  journey({}, async ({ page, call }) => {
    await page.goto("/templates?show=chat-agent");
    await expect(page.getByRole("button", { name: "Use template" })).toBeVisible();
    assert.equal(await page.getByRole("checkbox", { name: /Use your credential/ }).count(), 0);

    await page.goto("/credentials?new");
    await page.getByLabel("Search services").fill("openai");
    const dialog = page.getByRole("dialog");
    await dialog
      .getByRole("button", { name: /^OpenAI/ })
      .first()
      .click();
    await dialog.getByLabel("API key", { exact: false }).first().fill("sk-mock");
    await dialog.getByLabel(/URL/).first().fill(`${models.url}/v1`);
    await dialog.getByRole("button", { name: "Save and test" }).click();
    await expect(dialog.getByRole("status")).toHaveText("Saved");
    await dialog
      .getByRole("button", { name: /^(Done|Close)$/ })
      .last()
      .click();
    await expect(dialog).toBeGone();

    await page.goto("/templates?show=chat-agent");
    const take = page.getByRole("checkbox", { name: /Use your credential/ });
    await expect(take).toBeVisible();
    await page.getByRole("button", { name: "Use template" }).click();
    await arriveAt(page, /\/workflow\/[^/]+$/);
    const id = page.url().split("/").at(-1);
    const { nodes } = await call("GET", `/workflows/${id}`);
    assert.ok(
      nodes.some((node) => node.credentials?.openAiApi?.id),
      "no node has the credential",
    );
  }));

test("name, email address and password are changed in the settings", () =>
  journey({ expected: ["403", "401"] }, async ({ page, base }) => {
    await page.goto("/settings/personal");
    const name = page.getByRole("region", { name: "Name" });
    await name.getByLabel("First name").fill("Augusta");
    await name.getByRole("button", { name: "Save name" }).click();
    await expect(page.getByRole("region", { name: "Account" })).toHaveText("Augusta Byron");

    const email = page.getByRole("region", { name: "Email address" });
    await email.getByLabel("Email address").fill("augusta@example.com");
    await email.getByLabel("Current password").fill("not the password");
    await email.getByRole("button", { name: "Change email address" }).click();
    await expect(email).toHaveText("The current password is wrong");
    await email.getByLabel("Current password").fill(OWNER.password);
    await email.getByRole("button", { name: "Change email address" }).click();
    await expect(page.getByRole("region", { name: "Account" })).toHaveText("augusta@example.com");

    const signIn = (password) =>
      fetch(`${base}/api/login`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ email: "augusta@example.com", password }),
      });
    const elsewhere = await signIn(OWNER.password);
    assert.equal(elsewhere.status, 200);
    const cookie = elsewhere.headers.getSetCookie().find((one) => one.includes("heddle_session="));
    const me = () => fetch(`${base}/api/me`, { headers: { cookie: cookie.split(";")[0] } });
    assert.equal((await me()).status, 200);

    const password = page.getByRole("region", { name: "Password" });
    await password.getByLabel("Current password").fill(OWNER.password);
    await password.getByLabel("New password").fill("quite another password");
    await password.getByRole("button", { name: "Change password" }).click();
    await expect(page.getByText("All other sessions were signed out")).toBeVisible();
    assert.equal((await me()).status, 401);
    await page.reload();
    await expect(page.getByRole("region", { name: "Account" })).toHaveText("augusta@example.com");
  }));

test("a form that is being tested is one click away", () =>
  journey({}, async ({ page, call, context }) => {
    const { id } = await call("POST", "/workflows", FORM);
    await page.goto(`/workflow/${id}`);
    await page.getByRole("button", { name: "Run workflow" }).click();
    const opened = context.waitForEvent("page");
    await page.getByRole("link", { name: "Open form" }).click();
    const form = await opened;
    await form.getByRole("heading", { name: "Feedback" }).waitFor();
  }));

const node = (at, name, type, typeVersion, parameters = {}, more = {}) => ({
  id: name,
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [at * 220, 0],
  parameters,
  ...more,
});

const FAILING = {
  name: "Failing",
  nodes: [
    node(0, "Start", "manualTrigger", 1),
    node(1, "Stop", "stopAndError", 1, { errorMessage: "The shelf is empty" }),
  ],
  connections: { Start: { main: [[{ node: "Stop", type: "main", index: 0 }]] } },
  settings: {},
};

const FORM = {
  name: "Form",
  nodes: [
    node(
      0,
      "Form",
      "formTrigger",
      2.2,
      { formTitle: "Feedback", formFields: { values: [{ fieldLabel: "Text" }] }, options: {} },
      { webhookId: "7f3c0d5e-feedback" },
    ),
    node(1, "Last", "noOp", 1),
  ],
  connections: { Form: { main: [[{ node: "Last", type: "main", index: 0 }]] } },
  settings: {},
};
