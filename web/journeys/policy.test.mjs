// The policy: a rule is written as a form, tried on past calls, saved and corrected as text, and a tool is stopped and let go.
import { after, before, test } from "node:test";
import { expect, until } from "./expect.mjs";
import { journey } from "./harness.mjs";
import { startModels } from "./mockModels.mjs";

let models;
before(async () => {
  models = await startModels();
});
after(() => models.stop());

test("a rule is tried on past calls before it is saved, its text is checked, and a tool is stopped", () =>
  journey({ expected: ["422"] }, async ({ page, call }) => {
    const execution = await useCalculator(call);
    await page.goto("/policy");
    await expect(page.getByText(/Nothing is restricted/)).toBeVisible();
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("menuitem", { name: "Rule" }).click();
    const form = page.getByRole("dialog", { name: "Add rule" });
    await form.getByRole("textbox", { name: /^Name/ }).fill("no sums");
    await form.getByRole("combobox", { name: /^What happens/ }).click();
    await page.getByRole("option", { name: /^Deny/ }).click();
    await form.getByRole("textbox", { name: /^Reason/ }).fill("Do sums in your head.");
    await form.getByRole("textbox", { name: /^Tools/ }).fill("calc*");
    await form.getByRole("button", { name: "Add rule" }).click();
    const rules = page.getByRole("list", { name: "Rules" });
    await expect(rules).toHaveText("If the tool is calc*");

    await page.getByRole("button", { name: "Review and save" }).click();
    const review = page.getByRole("dialog", { name: "Review and save" });
    await expect(review.getByRole("region", { name: "Changes of the policy" })).toHaveText(
      'tools = "calc*"',
    );
    const change = review.getByRole("row", { name: /^calculator/ });
    await expect(change).toHaveText("Deny");
    await expect(change.getByRole("link", { name: String(execution) })).toBeVisible();
    await review.getByRole("button", { name: "Save policy" }).click();
    await expect(page.getByText("Version 1 is in force")).toBeVisible();
    await expect(page.getByText(/changed just now by Ada Byron/)).toBeVisible();

    await page.getByRole("tab", { name: "Text" }).click();
    const text = page.getByRole("textbox", { name: "Policy text" });
    await text.press("ControlOrMeta+End");
    await text.pressSequentially('tool = "x"\n');
    await expect(page.getByText(/^Line \d+: tool is unknown/)).toBeVisible();
    await page.getByRole("button", { name: "Discard" }).click();
    await page.getByRole("tab", { name: "Rules" }).click();

    await page.getByRole("button", { name: "Remove no sums" }).click();
    // A change that is not saved yet does not stand in the way of a stop, nor a stop in the way of the change.
    await page.getByRole("button", { name: "Stop tools or agents" }).click();
    const stop = page.getByRole("dialog", { name: "Stop tools or agents" });
    await stop.getByRole("textbox", { name: /^Name of the tool/ }).fill("send_*");
    await stop.getByRole("textbox", { name: /^Reason/ }).fill("Wrong recipients");
    await stop.getByRole("button", { name: "Stop now" }).click();
    const stopped = page.getByRole("region", { name: "Stopped now" });
    await expect(stopped).toHaveText("Wrong recipients");
    await expect(page.getByRole("list", { name: "Stops" })).toHaveText("send_*");
    await expect(page.getByText("Nothing of it is in force yet.")).toBeVisible();
    await stopped.getByRole("button", { name: "Remove stop send_*" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove stop" }).click();
    await expect(stopped).toBeGone();
    await expect(page.getByRole("list", { name: "Stops" })).toBeGone();
    await expect(page.getByText("Nothing of it is in force yet.")).toBeVisible();

    await page.getByRole("tab", { name: "Dry run" }).click();
    await page.getByRole("button", { name: "Start dry run" }).click();
    await expect(page.getByRole("row", { name: /^calculator/ })).toHaveText("Allow");
    await page.getByRole("link", { name: String(execution) }).click();
    await expect(page.locator(".react-flow__node", { hasText: "Agent" })).toBeVisible();
  }));

/** An execution in which an agent called a tool. */
async function useCalculator(call) {
  const credential = await call("POST", "/credentials", {
    name: "Mock key",
    type: "openAiApi",
    data: { apiKey: "sk-mock", url: `${models.url}/v1` },
  });
  const node = (name, type, parameters, more) => ({
    id: name,
    name,
    type,
    typeVersion: 1,
    position: [0, 0],
    parameters,
    ...more,
  });
  const to = (name, type = "main") => ({ [type]: [[{ node: name, type, index: 0 }]] });
  const { id } = await call("POST", "/workflows", {
    name: "Sums",
    nodes: [
      node("Start", "n8n-nodes-base.manualTrigger", {}),
      node("Agent", "ai-agent", { userMessage: "Six times seven?", options: {} }),
      node(
        "Model",
        "openai-model",
        { model: "gpt-4o-mini", options: {} },
        { credentials: { openAiApi: { id: credential.id, name: credential.name } } },
      ),
      node("calculator", "calculator-tool", {}),
    ],
    connections: {
      Start: to("Agent"),
      Model: to("Agent", "ai_languageModel"),
      calculator: to("Agent", "ai_tool"),
    },
    settings: {},
  });
  await models.script(
    { calls: [{ name: "calculator", arguments: { expression: "6*7" } }] },
    { text: "It is 42." },
  );
  const { executionId } = await call("POST", `/workflows/${id}/run`, {});
  await until(
    async () => (await call("GET", `/executions/${executionId}`)).status === "success",
    "the agent did not answer",
  );
  return executionId;
}
