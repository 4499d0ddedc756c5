// A node that is not supported is replaced by an operation of an API description, and runs against the API.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { card, closePanel, panelOf, save } from "./canvasSteps.mjs";
import { expect } from "./expect.mjs";
import { journey } from "./harness.mjs";

let api;
const called = [];
before(async () => {
  api = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += part;
    });
    request.on("end", () => {
      called.push({ line: `${request.method} ${request.url}`, body });
      response.setHeader("content-type", "application/json");
      response.end('{"id":"c-7","state":"open"}');
    });
  });
  await new Promise((resolve) => api.listen(0, "127.0.0.1", resolve));
});
after(() => api.close());

/** Many operations, so that the guesses matter. */
function description() {
  const paths = {
    "/boards/{boardId}/cards": {
      get: { operationId: "listCards", summary: "List the cards of a board", tags: ["cards"] },
      post: {
        operationId: "createCard",
        summary: "Create a card",
        tags: ["cards"],
        requestBody: {
          content: { "application/json": { schema: { $ref: "#/components/schemas/Card" } } },
        },
      },
    },
    "/cards/{cardId}": {
      delete: { operationId: "deleteCard", summary: "Delete a card", tags: ["cards"] },
    },
  };
  for (let at = 0; at < 150; at += 1)
    paths[`/reports/r${at}`] = { get: { operationId: `readReport${at}`, tags: ["reports"] } };
  return {
    openapi: "3.1.0",
    info: { title: "Boards API", version: "1" },
    servers: [{ url: `http://127.0.0.1:${api.address().port}/v1` }],
    paths,
    components: {
      schemas: {
        Card: {
          type: "object",
          properties: {
            id: { type: "string", readOnly: true },
            title: { type: "string", example: "A card" },
            done: { type: "boolean" },
          },
        },
      },
    },
  };
}

const WORKFLOW = {
  name: "Boards",
  nodes: [
    ["Start", "n8n-nodes-base.manualTrigger", {}],
    [
      "New card",
      "n8n-nodes-elsewhere.boards",
      {
        resource: "card",
        operation: "create",
        boardId: "b 1",
        title: "={{ 'Tea at ' + (3 + 1) }}",
      },
    ],
    ["End", "n8n-nodes-base.noOp", {}],
  ].map(([name, type, parameters], at) => ({
    id: name,
    name,
    type,
    typeVersion: 1,
    position: [224 * at, 0],
    parameters,
  })),
  connections: {
    Start: { main: [[{ node: "New card", type: "main", index: 0 }]] },
    "New card": { main: [[{ node: "End", type: "main", index: 0 }]] },
  },
  settings: {},
};

test("a node that is not supported is replaced by an operation of a pasted description, and runs", () =>
  // A description that cannot be read is refused.
  journey({ expected: ["status of 400"] }, async ({ page, call }) => {
    const made = await call("POST", "/workflows", WORKFLOW);
    await page.goto(`/workflow/${made.id}`);
    await card(page, "New card").waitFor();
    await page.getByRole("button", { name: /^1 problem/ }).click();
    await page.getByRole("button", { name: "Replace node" }).click();
    await page.getByRole("option", { name: /^Use an API description/ }).click();

    const panel = page.getByRole("complementary", { name: "Use an API description" });
    await panel.getByRole("tab", { name: "Paste" }).click();
    const field = panel.getByLabel("API description");
    await field.fill("openapi: 3.0.0\npaths: [");
    await panel.getByRole("button", { name: "Read" }).click();
    await expect(panel.getByRole("alert")).toHaveText("cannot be read");
    await field.fill(JSON.stringify(description()));
    await panel.getByRole("button", { name: "Read" }).click();

    const search = panel.getByRole("combobox", { name: "Search operations" });
    await search.waitFor();
    const first = panel.getByRole("group", { name: "Best guesses" }).getByRole("option").first();
    await expect(first).toHaveText("/boards/{boardId}/cards");
    await expect(first).toHaveText("Create a card");
    await search.fill("nothing like it");
    await expect(panel).toHaveText("No operations match");
    await search.fill("report r149");
    await expect(panel.getByRole("option")).toHaveCount(1);
    await search.fill("");
    await page.keyboard.press("Enter");

    const node = panelOf(page, "New card");
    await node.waitFor();
    await expect(node).toHaveText("HTTP Request");
    await closePanel(page);
    await save(page);
    const stored = await call("GET", `/workflows/${made.id}`);
    const replaced = stored.nodes.find((one) => one.name === "New card");
    assert.equal(replaced.type, "n8n-nodes-base.httpRequest");
    assert.deepEqual(replaced.position, [224, 0]);
    assert.match(replaced.parameters.url, /\/v1\/boards\/b%201\/cards$/);
    assert.deepEqual(stored.connections, WORKFLOW.connections);

    await page.getByRole("button", { name: /^(Run|Execute) workflow/ }).click();
    await expect(page.getByText("Succeeded").first()).toBeVisible();
    assert.equal(called.length, 1);
    assert.equal(called[0].line, "POST /v1/boards/b%201/cards");
    assert.deepEqual(JSON.parse(called[0].body), { title: "Tea at 4", done: true });

    // One step back is the node as it was.
    await page.getByLabel(/^Canvas of /).focus();
    await page.keyboard.press("Control+z");
    await expect(page.getByRole("button", { name: /^1 problem/ })).toBeVisible();
  }));
