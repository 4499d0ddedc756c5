// The pictures of the documentation: `npm run pictures` takes them again, of a real server with mock models.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { card, doubleClick, say } from "./canvasSteps.mjs";
import { expect } from "./expect.mjs";
import { journey } from "./harness.mjs";
import { startModels } from "./mockModels.mjs";

const FOLDER = fileURLToPath(new URL("../../docs/images", import.meta.url));

const ORDERS = [
  ["Grace Hopper", "Lisbon", 26.14],
  ["Mary Somerville", "Oslo", 33.27],
  ["Ada Byron", "Berlin", 47.55],
  ["Alan Turing", "Kraków", 68.96],
  ["Grace Hopper", "Lisbon", 54.69],
  ["Ada Byron", "Berlin", 76.1],
].map(([customer, city, total], at) => ({ id: 10471 + at, customer, city, total, paid: at !== 3 }));

function node(name, type, typeVersion, position, parameters = {}, more = {}) {
  return { id: name, name, type, typeVersion, position, parameters, ...more };
}

const to = (name, type = "main") => [[{ node: name, type, index: 0 }]];

function orderDesk(credential) {
  const nodes = [
    node("Chat", "@n8n/n8n-nodes-langchain.chatTrigger", 1.4, [0, 0], { public: true }),
    node("Order desk", "ai-agent", 1, [340, 0], { userMessage: "={{ $json.chatInput }}" }),
    node(
      "Model",
      "openai-model",
      1,
      [260, 200],
      { model: "gpt-4o-mini" },
      { credentials: { openAiApi: credential } },
    ),
    node("Memory", "sqlite-memory", 1, [390, 200]),
    node("Calculator", "calculator-tool", 1, [520, 200]),
    node("Orders", "code-tool", 1, [650, 200], {
      name: "orders",
      description: "Orders of a customer",
      jsCode: `return JSON.stringify(${JSON.stringify(ORDERS)}.filter((order) => order.customer === query));`,
    }),
    node("Keep the answer", "n8n-nodes-base.set", 3.4, [720, 0], {
      assignments: {
        assignments: [
          { id: "a", name: "length", type: "number", value: "={{ $json.output.length }}" },
        ],
      },
      includeOtherFields: true,
      options: {},
    }),
  ];
  const connections = {
    Chat: { main: to("Order desk") },
    "Order desk": { main: to("Keep the answer") },
    Model: { ai_languageModel: to("Order desk", "ai_languageModel") },
    Memory: { ai_memory: to("Order desk", "ai_memory") },
    Calculator: { ai_tool: to("Order desk", "ai_tool") },
    Orders: { ai_tool: to("Order desk", "ai_tool") },
  };
  return { name: "Order desk", nodes, connections, settings: { executionOrder: "v1" } };
}

function report() {
  const tax = "={{ Math.round($json.total * 19) / 100 }}";
  const nodes = [
    node("Every morning", "n8n-nodes-base.scheduleTrigger", 1.2, [0, 0], {
      rule: { interval: [{ field: "days", triggerAtHour: 7 }] },
    }),
    node("Orders of yesterday", "n8n-nodes-base.code", 2, [220, 0], {
      jsCode: `return ${JSON.stringify(ORDERS)}.map((json) => ({ json }));`,
    }),
    node("Add the tax", "n8n-nodes-base.set", 3.4, [440, 0], {
      assignments: {
        assignments: [
          { id: "a", name: "tax", type: "number", value: tax },
          {
            id: "b",
            name: "label",
            type: "string",
            value: "={{ $json.customer }} ({{ $json.city }})",
          },
        ],
      },
      includeOtherFields: true,
      options: {},
    }),
  ];
  const connections = {
    "Every morning": { main: to("Orders of yesterday") },
    "Orders of yesterday": { main: to("Add the tax") },
  };
  return { name: "Morning report", nodes, connections, settings: { executionOrder: "v1" } };
}

// As long as real models take.
process.env.MOCK_MODELS_DELAY_MS = "700";
const models = await startModels();
const options = { viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1.5 };
await journey(options, async ({ page, call }) => {
  const shoot = async (name) => {
    // What hovers and what moves would look different each time.
    await page.mouse.move(720, 90);
    await page.waitForTimeout(800);
    await page.screenshot({ path: join(FOLDER, `${name}.png`) });
  };

  const { id: credential } = await call("POST", "/credentials", {
    name: "OpenAI",
    type: "openAiApi",
    data: { apiKey: "sk-mock", url: `${models.url}/v1` },
  });
  const { id } = await call(
    "POST",
    "/workflows",
    orderDesk({ id: String(credential), name: "OpenAI" }),
  );
  await call("POST", `/workflows/${id}/activate`);
  await models.script(
    {
      calls: [{ name: "orders", arguments: { input: "Grace Hopper" } }],
      usage: { input: 640, output: 24 },
    },
    {
      calls: [{ name: "calculator", arguments: { expression: "26.14 + 54.69" } }],
      usage: { input: 790, output: 22 },
    },
    {
      text: "Grace Hopper has **two orders**, 10471 and 10475, for **$80.83** in all. Both are paid.",
      usage: { input: 910, output: 74 },
    },
  );
  await page.goto(`/workflow/${id}`);
  await page.getByRole("tab", { name: "Chat" }).click();
  await say(page, "What has Grace Hopper ordered, and for how much?");
  await expect(page.getByRole("log", { name: "Conversation" })).toHaveText("Both are paid.");
  await page.getByRole("button", { name: "Zoom to fit" }).click();
  await shoot("editor");
  await page.getByRole("tab", { name: "Timeline" }).click();
  await expect(page.getByRole("list", { name: "Iterations" })).toBeVisible();
  await shoot("timeline");

  const made = await call("POST", "/workflows", report());
  await page.goto(`/workflow/${made.id}`);
  await page.getByRole("button", { name: "Run workflow" }).click();
  await expect(page.getByText("Succeeded").first()).toBeVisible();
  await doubleClick(card(page, "Add the tax"));
  await shoot("panel");
});
models.stop();
