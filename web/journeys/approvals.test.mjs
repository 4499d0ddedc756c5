// An agent that asks before it uses a tool: the exact call is shown in the chat, on a page of its own and in the timeline, and a person's
// yes or no is what happens.
import { after, before, test } from "node:test";
import { say } from "./canvasSteps.mjs";
import { expect, until } from "./expect.mjs";
import { journey } from "./harness.mjs";
import { startModels } from "./mockModels.mjs";

let models;
before(async () => {
  models = await startModels();
});
after(() => models.stop());

test("a call that an agent asks about is approved in the chat, and another is rejected with a reason", () =>
  journey({}, async ({ page, call }) => {
    const credential = await call("POST", "/credentials", {
      name: "Mock key",
      type: "openAiApi",
      data: { apiKey: "sk-mock", url: `${models.url}/v1` },
    });
    const { id } = await call("POST", "/workflows", careful(credential));
    const runs = async () => (await call("GET", `/executions?workflowId=${id}`)).data;
    const ask = (expression) => ({ calls: [{ name: "calculator", arguments: { expression } }] });

    await models.script(ask("6*7"), { text: "It is 42." });
    await page.goto(`/workflow/${id}`);
    await page.getByRole("tab", { name: "Chat" }).click();
    await say(page, "What is six times seven?");
    const card = page.getByRole("region", { name: "Approval for calculator" });
    await expect(card).toHaveText("6*7");
    await card.getByRole("button", { name: "Approve" }).click();
    await expect(page.getByRole("log", { name: "Conversation" })).toHaveText("It is 42.");

    // The words of an answer are there before its run is over, and only then another message goes out.
    await expect(page.getByRole("status").filter({ hasText: "Succeeded" })).toBeVisible();
    await models.script(ask("1/0"), { text: "Then I cannot say." });
    await say(page, "And one by zero?");
    await expect(card).toHaveText("1/0");
    await page.goto("/agents?tab=approvals");
    await expect(page.getByRole("link", { name: "Agents: 1 decision pending" })).toBeVisible();
    await card.getByRole("button", { name: "Reject…" }).click();
    await page.getByLabel("Reason").fill("Nobody divides by zero");
    await page.getByRole("dialog").getByRole("button", { name: "Reject" }).click();
    await until(async () => (await runs())[0].status === "success", "the run did not go on");
    await expect(page.getByRole("heading", { name: "No pending approvals" })).toBeVisible();

    await page.goto(`/workflow/${id}/executions/${(await runs())[0].id}`);
    await page.getByRole("tab", { name: "Timeline" }).click();
    await page.getByRole("button", { name: /^Tool: calculator/ }).click();
    await expect(card).toHaveText("Nobody divides by zero");
    await expect(card).toHaveText("Rejected");
  }));

const careful = (credential) => ({
  name: "Careful",
  nodes: [
    {
      id: "1",
      name: "Chat",
      type: "@n8n/n8n-nodes-langchain.chatTrigger",
      typeVersion: 1.1,
      position: [0, 0],
      parameters: { options: {} },
      webhookId: "a7a1f9a2-0000-4000-8000-000000000001",
    },
    {
      id: "2",
      name: "Agent",
      type: "ai-agent",
      typeVersion: 1,
      position: [260, 0],
      parameters: { userMessage: "={{ $json.chatInput }}", options: { askBefore: "all" } },
    },
    {
      id: "3",
      name: "Model",
      type: "@n8n/n8n-nodes-langchain.lmChatOpenAi",
      typeVersion: 1.2,
      position: [100, 240],
      parameters: { model: { __rl: true, mode: "list", value: "gpt-4o-mini" }, options: {} },
      credentials: { openAiApi: { id: credential.id, name: credential.name } },
    },
    {
      id: "4",
      name: "calculator",
      type: "calculator-tool",
      typeVersion: 1,
      position: [420, 240],
      parameters: {},
    },
  ],
  connections: {
    Chat: { main: [[{ node: "Agent", type: "main", index: 0 }]] },
    Model: { ai_languageModel: [[{ node: "Agent", type: "ai_languageModel", index: 0 }]] },
    calculator: { ai_tool: [[{ node: "Agent", type: "ai_tool", index: 0 }]] },
  },
  settings: {},
});
