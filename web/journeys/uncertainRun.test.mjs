// A server that is cut off in the middle of a step: the run asks a person whether the step happened, and goes on as it is told.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";
import { expect, until } from "./expect.mjs";
import { journey } from "./harness.mjs";

/** A service that takes orders and may keep its caller waiting for ever. */
const shop = { orders: 0, isSlow: true, url: "" };
let server;
before(async () => {
  server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      shop.orders += 1;
      if (!shop.isSlow)
        response.setHeader("content-type", "application/json").end('{"order":"from the service"}');
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  shop.url = `http://127.0.0.1:${server.address().port}/orders`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

test("a run that was cut off in the middle of an order waits for a decision, on its canvas and among the agents' decisions", () =>
  journey({ expected: ["ERR_", "502", "Failed to load"] }, async ({ page, call, kill, again }) => {
    const { id } = await call("POST", "/workflows", ORDER());
    const runs = async () => (await call("GET", `/executions?workflowId=${id}`)).data;
    const newest = async () => (await runs())[0];
    const cutOff = async () => {
      shop.isSlow = true;
      const before = shop.orders;
      await page.goto(`/workflow/${id}`);
      await page.getByRole("button", { name: "Run workflow" }).click();
      await until(() => shop.orders > before, "no order came");
      await kill();
      await again();
      await until(async () => (await newest())?.status === "uncertain", "nobody is asked");
      shop.isSlow = false;
    };

    await cutOff();
    const banner = page.getByRole("status").filter({ hasText: "may have completed" });
    await expect(banner).toHaveText("Order");
    await banner.getByRole("button", { name: "It completed…" }).click();
    await page.getByRole("dialog").getByLabel("Result").fill('{"order":"told by Ada"}');
    const orders = shop.orders;
    await page.getByRole("dialog").getByRole("button", { name: "Continue" }).click();
    await until(async () => (await newest()).status === "success", "the run did not go on");
    await expect(banner).toBeGone();
    assert.equal(shop.orders, orders, "the order was sent again");
    assert.deepEqual(await answerOf(call, (await newest()).id), [{ order: "told by Ada" }]);

    await cutOff();
    await page.goto("/agents?tab=decisions");
    await page.getByRole("button", { name: "It did not: retry step" }).click();
    await until(async () => (await newest()).status === "success", "the run did not go on");
    await expect(page.getByRole("heading", { name: "No pending decisions" })).toBeVisible();
    assert.deepEqual(await answerOf(call, (await newest()).id), [{ order: "from the service" }]);

    await cutOff();
    const given = (await newest()).id;
    await page.goto("/agents?tab=decisions");
    await page.getByRole("button", { name: "Stop execution" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Stop execution" }).click();
    await expect(page.getByRole("heading", { name: "No pending decisions" })).toBeVisible();
    assert.equal((await runs()).find((run) => run.id === given).status, "canceled");
  }));

async function answerOf(call, executionId) {
  const { data } = await call("GET", `/executions/${executionId}?includeData=true`);
  return data.resultData.runData.Last[0].data.main[0].map((item) => item.json);
}

const ORDER = () => ({
  name: "Orders",
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
      name: "Order",
      type: "n8n-nodes-base.httpRequest",
      typeVersion: 4.2,
      position: [220, 0],
      parameters: {
        method: "POST",
        url: shop.url,
        sendBody: true,
        specifyBody: "json",
        jsonBody: '{"tea":1}',
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
    Start: { main: [[{ node: "Order", type: "main", index: 0 }]] },
    Order: { main: [[{ node: "Last", type: "main", index: 0 }]] },
  },
  settings: {},
});
