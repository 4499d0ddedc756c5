// An agent with a calculator, built on the canvas: it is talked to, its timeline is read, and its run is forked with another model.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  addBy,
  arriveAt,
  card,
  closePanel,
  doubleClick,
  newWorkflow,
  save,
  say,
  take,
} from "./canvasSteps.mjs";
import { expect, until } from "./expect.mjs";
import { journey } from "./harness.mjs";
import { startModels } from "./mockModels.mjs";

let models;
before(async () => {
  models = await startModels();
});
after(() => models.stop());

test("an agent is built with a model and a calculator, answers in the chat, and shows how it came to its answer", () =>
  journey({}, async ({ page, call }) => {
    await call("POST", "/credentials", {
      name: "Mock key",
      type: "openAiApi",
      data: { apiKey: "sk-mock", url: `${models.url}/v1` },
    });
    await newWorkflow(page);
    await page.getByRole("button", { name: /^Add/ }).first().click();
    await take(page, "chat trigger", "(When chat message received|Chat)");
    await closePanel(page);
    await addBy(page, /^Add node after /, "ai agent", "AI Agent");
    await closePanel(page);
    await addBy(page, /^Add: (Chat )?Model/, "openai", "OpenAI");
    await chooseCredential(page);
    await closePanel(page);
    await addBy(page, /^Add: Tool/, "calculator", "Calculator");
    await closePanel(page);
    await expect(page.locator(".react-flow__node")).toHaveCount(4);
    await save(page);

    await models.script(
      { calls: [{ name: "calculator", arguments: { expression: "6*7" } }] },
      { text: "It is 42.", usage: { input: 30, output: 5 } },
    );
    await page.getByRole("tab", { name: "Chat" }).click();
    await say(page, "What is six times seven?");
    await expect(page.getByRole("log", { name: "Conversation" })).toHaveText("It is 42.");

    await page.getByRole("tab", { name: "Timeline" }).click();
    const timeline = page.getByRole("list", { name: "Iterations" });
    await expect(timeline).toBeVisible();
    await page
      .getByRole("button", { name: /calculator/i })
      .first()
      .click();
    await expect(page.getByText("6*7").first()).toBeVisible();
  }));

test("an execution is opened on the canvas and forked from a step", () =>
  journey({}, async ({ page, call }) => {
    const made = await call("POST", "/workflows", {
      name: "To be forked",
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
          parameters: {
            assignments: {
              assignments: [
                { id: "a", name: "when", type: "string", value: "={{ $now.toISO() }}" },
              ],
            },
            options: {},
          },
        },
        {
          id: "3",
          name: "Last",
          type: "n8n-nodes-base.noOp",
          typeVersion: 1,
          position: [440, 0],
          parameters: {},
        },
      ],
      connections: {
        Start: { main: [[{ node: "Edit", type: "main", index: 0 }]] },
        Edit: { main: [[{ node: "Last", type: "main", index: 0 }]] },
      },
      settings: {},
    });
    await page.goto(`/workflow/${made.id}`);
    await page.getByRole("button", { name: "Run workflow" }).click();
    const ran = async () => (await call("GET", `/executions?workflowId=${made.id}`)).data;
    await until(async () => (await ran())[0]?.status === "success", "the workflow did not run");

    await page.goto("/executions");
    await page.getByRole("button", { name: "Open on canvas" }).first().click();
    await arriveAt(page, /\/executions\/\d+/);
    const bar = page.getByRole("region", { name: /^Execution \d+/ });
    await expect(bar).toHaveText("Succeeded");
    await bar.getByRole("button", { name: "Run again" }).click();
    await page.getByRole("menuitem", { name: "Fork from a step…" }).click();
    await page.getByRole("combobox", { name: /^Start from step/ }).click();
    await page.getByRole("option", { name: /^Last/ }).click();
    await page.getByRole("button", { name: "Fork", exact: true }).click();
    const succeeded = async () => (await ran()).filter((one) => one.status === "success");
    await until(
      async () => (await succeeded()).length === 2,
      "there is no second execution that succeeded",
    );
    const both = await succeeded();
    const [fork, first] = await Promise.all(
      both.map((one) => call("GET", `/executions/${one.id}?includeData=true`)),
    );
    const when = (execution) => execution.data.resultData.runData.Edit[0].data.main[0][0].json.when;
    assert.equal(when(fork), when(first), "the step before the fork was not run again");
  }));

async function chooseCredential(page) {
  const panel = page.getByRole("dialog", { name: /^Node / });
  if (!(await panel.isVisible())) {
    await doubleClick(card(page, /OpenAI/));
    await panel.waitFor();
  }
  const field = panel.getByRole("combobox", { name: /^Credential: / });
  if (/Mock key/.test((await field.getAttribute("aria-label")) ?? "")) return;
  await field.click();
  await page.getByRole("option", { name: "Mock key" }).click();
}
