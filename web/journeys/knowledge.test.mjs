// Documents become knowledge: they are added, searched, found by an agent, and what that took is seen in Insights.
import { after, before, test } from "node:test";
import { say } from "./canvasSteps.mjs";
import { expect } from "./expect.mjs";
import { journey } from "./harness.mjs";
import { startModels } from "./mockModels.mjs";

let models;
before(async () => {
  models = await startModels();
});
after(() => models.stop());

const REFUNDS = "Refunds are paid within 14 days of the return, to the card that paid.";

test("a policy is added and searched, an agent answers from it, and Insights counts its calls", () =>
  journey({}, async ({ page, call }) => {
    const credential = await call("POST", "/credentials", {
      name: "Mock key",
      type: "openAiApi",
      data: { apiKey: "sk-mock", url: `${models.url}/v1` },
    });
    await page.goto("/knowledge");
    await page.getByRole("button", { name: "New collection" }).first().click();
    const dialog = page.getByRole("dialog", { name: "New collection" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("handbook");
    await dialog.getByRole("combobox", { name: /^Embeddings/ }).click();
    await page.getByRole("option", { name: /^Mock key/ }).click();
    await dialog.getByRole("button", { name: "Create collection" }).click();
    await expect(page.getByRole("heading", { name: "handbook" })).toBeVisible();

    await page.getByRole("button", { name: "Add text" }).click();
    const text = page.getByRole("dialog", { name: "Add text" });
    await text.getByRole("textbox", { name: /^Name/ }).fill("Refund policy");
    await text.getByRole("textbox", { name: /^Text/ }).fill(REFUNDS);
    await text.getByRole("button", { name: "Add text" }).click();
    await expect(page.getByRole("row", { name: /Refund policy/ })).toBeVisible();
    await page.locator("input[type=file]").setInputFiles({
      name: "hours.md",
      mimeType: "text/markdown",
      buffer: Buffer.from("# Opening hours\n\nThe shop is open from nine to five."),
    });
    await expect(page.getByRole("row", { name: /hours\.md/ })).toBeVisible();

    await page.getByRole("tab", { name: "Test search" }).click();
    await page.getByRole("textbox", { name: "Query" }).fill("How are refunds paid?");
    await page.getByRole("button", { name: "Search" }).click();
    await expect(page.getByText(REFUNDS)).toBeVisible();

    const workflow = await call("POST", "/workflows", clerk(credential));
    await page.goto(`/workflow/${workflow.id}`);
    await models.script(
      { calls: [{ name: "knowledge_base_search", arguments: { query: "refunds" } }] },
      { text: "Within 14 days.", usage: { input: 120, output: 8 } },
    );
    await page.getByRole("tab", { name: "Chat" }).click();
    await say(page, "When do I get my money back?");
    await expect(page.getByRole("log", { name: "Conversation" })).toHaveText("Within 14 days.");
    await page.getByRole("tab", { name: "Timeline" }).click();
    await page
      .getByRole("button", { name: /knowledge_base_search/ })
      .first()
      .click();
    await expect(page.getByText(/paid within 14 days of the return/).first()).toBeVisible();

    await page.goto("/insights");
    const row = page
      .getByRole("table", { name: "Workflow metrics" })
      .getByRole("row", { name: /Clerk/ });
    await expect(row).toHaveText("0%");
    const model = page
      .getByRole("region", { name: "Models" })
      .getByRole("row", { name: /gpt-4o-mini/ });
    await expect(model).toHaveText("2");
  }));

test("a strict agent shows each action and how sure it was, and one that is not done is not shown as a success", () =>
  journey({}, async ({ page, call }) => {
    const credential = await call("POST", "/credentials", {
      name: "Mock key",
      type: "openAiApi",
      data: { apiKey: "sk-mock", url: `${models.url}/v1` },
    });
    const workflow = await call("POST", "/workflows", auditor(credential));
    await page.goto(`/workflow/${workflow.id}`);
    const sum = {
      action: "tool",
      tool: "calculator",
      input: { expression: "3*48.90" },
      confidence: 0.6,
    };
    await models.script(
      { text: JSON.stringify(sum) },
      { text: JSON.stringify({ action: "final", message: "146.70 together.", confidence: 0.97 }) },
    );
    await page.getByRole("button", { name: "Run workflow" }).click();
    await page.locator(".react-flow__node", { hasText: "Auditor" }).click();
    await page.getByRole("tab", { name: "Timeline" }).click();
    await expect(page.getByText("Completed", { exact: true })).toBeVisible();
    await expect(page.getByText("0.97", { exact: true })).toBeVisible();
    await expect(page.getByRole("list", { name: "Iterations" })).toHaveText("Iteration 2");

    const { id, nodes, connections, settings } = workflow;
    const sure = { values: [{ type: "confidence_threshold", value: 0.5 }] };
    await call("PUT", `/workflows/${id}`, {
      name: "Audit",
      nodes: nodes.map((one) =>
        one.name === "Auditor"
          ? { ...one, parameters: { ...one.parameters, stopConditions: sure } }
          : one,
      ),
      connections,
      settings,
    });
    await page.goto(`/workflow/${id}`);
    await models.script({ text: JSON.stringify(sum) });
    await page.getByRole("button", { name: "Run workflow" }).click();
    await page.locator(".react-flow__node", { hasText: "Auditor" }).click();
    await page.getByRole("tab", { name: "Timeline" }).click();
    await expect(page.getByText("Confidence threshold", { exact: true })).toBeVisible();
  }));

function node(name, type, typeVersion, parameters, credentials) {
  const at = [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0);
  return {
    id: name,
    name,
    type,
    typeVersion,
    position: [at % 900, (at * 7) % 500],
    parameters,
    credentials,
  };
}

const by = ({ id, name }) => ({ openAiApi: { id, name } });
const to = (name, type = "main") => ({ [type]: [[{ node: name, type, index: 0 }]] });

function clerk(credential) {
  return {
    name: "Clerk",
    nodes: [
      node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", 1.1, { options: {} }),
      node("Clerk", "ai-agent", 1, { userMessage: "={{ $json.chatInput }}", options: {} }),
      node("Model", "openai-model", 1, { model: "gpt-4o-mini", options: {} }, by(credential)),
      node(
        "Handbook",
        "knowledge-base-tool",
        1,
        { collection: "handbook", options: { minScore: 0 } },
        by(credential),
      ),
    ],
    connections: {
      Chat: to("Clerk"),
      Model: to("Clerk", "ai_languageModel"),
      Handbook: to("Clerk", "ai_tool"),
    },
    settings: {},
  };
}

function auditor(credential) {
  return {
    name: "Audit",
    nodes: [
      node("Start", "n8n-nodes-base.manualTrigger", 1, {}),
      node("Auditor", "agent-core-react", 1, { strategy: "react", maxIterations: 5 }),
      node("Model", "openai-model", 1, { model: "gpt-4o-mini", options: {} }, by(credential)),
      node("Calculator", "calculator-tool", 1, {}),
    ],
    connections: {
      Start: to("Auditor"),
      Model: to("Auditor", "ai_languageModel"),
      Calculator: to("Auditor", "ai_tool"),
    },
    settings: {},
  };
}
