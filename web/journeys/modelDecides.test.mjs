// An HTTP tool whose URL the model decides: what the model is offered, and the request that is made of its answer.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { addBy, closePanel, openNode, panelOf, save } from "./canvasSteps.mjs";
import { expect, until } from "./expect.mjs";
import { journey } from "./harness.mjs";
import { startModels } from "./mockModels.mjs";

let models;
let service;
const called = [];
before(async () => {
  models = await startModels();
  service = createServer((request, response) => {
    called.push(`${request.method} ${request.url}`);
    response.setHeader("content-type", "application/json");
    response.end('{"temperature":21}');
  });
  await new Promise((resolve) => service.listen(0, "127.0.0.1", resolve));
});
after(() => {
  models.stop();
  service.close();
});

test("the HTTP tool that is found first has a URL that the model decides", () =>
  journey({}, async ({ page, call }) => {
    const credential = await call("POST", "/credentials", {
      name: "Mock key",
      type: "openAiApi",
      data: { apiKey: "sk-mock", url: `${models.url}/v1` },
    });
    const { id } = await call("POST", "/workflows", agent(credential));
    await page.goto(`/workflow/${id}`);
    await addBy(page, /^Add: Tool/, "http", "HTTP Request Tool");
    await openNode(page, "HTTP Request Tool");
    const panel = panelOf(page, "HTTP Request Tool");
    await expect(panel.getByRole("combobox", { name: "Method" })).toHaveText("GET");
    await panel.getByRole("button", { name: "More options for URL" }).click();
    await page.getByRole("menuitem", { name: "Let the model decide" }).click();
    await expect(panel.locator(".cm-content").first()).toHaveText("$fromAI('URL'");
    // The description is read before the model is asked, so it is not the model's to decide.
    assert.equal(
      await panel.getByRole("button", { name: "More options for Description" }).count(),
      0,
    );
    await closePanel(page);
    await save(page);

    const { port } = service.address();
    await models.script(
      {
        calls: [
          { name: "HTTP_Request_Tool", arguments: { URL: `http://127.0.0.1:${port}/weather` } },
        ],
      },
      { text: "It is 21 degrees." },
    );
    await page.getByRole("tab", { name: "Chat" }).click();
    // The field gets the focus, so no key is taken for one of the canvas.
    const message = page.getByRole("textbox", { name: "Message" });
    await until(
      () => message.evaluate((field) => field === document.activeElement),
      "the message field has no focus",
    );
    await page.keyboard.type("How warm is it?");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("log", { name: "Conversation" })).toHaveText("It is 21 degrees.");
    assert.deepEqual(called, ["GET /weather"]);
    const asked = await (await fetch(`${models.url}/__asked`)).text();
    assert.match(asked, /HTTP_Request_Tool/);
    assert.match(asked, /"required\\?":\s*\[\s*\\?"URL\\?"/);
  }));

function agent(credential) {
  const node = (name, type, typeVersion, at, parameters = {}, more = {}) => ({
    id: name,
    name,
    type,
    typeVersion,
    position: [at, 0],
    parameters,
    ...more,
  });
  const to = (type) => ({ [type]: [[{ node: "Agent", type, index: 0 }]] });
  return {
    name: "Weather",
    nodes: [
      node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", 1.4, 0),
      node("Agent", "ai-agent", 1, 300, { userMessage: "={{ $json.chatInput }}" }),
      {
        ...node("Model", "openai-model", 1, 260, { model: "gpt-4o-mini" }),
        position: [260, 220],
        credentials: { openAiApi: { id: String(credential.id), name: credential.name } },
      },
    ],
    connections: { Chat: to("main"), Model: to("ai_languageModel") },
    settings: { executionOrder: "v1" },
  };
}
