// A run that sleeps until it is called: its address is shown, nothing has gone on yet, and calling it wakes it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { card } from "./canvasSteps.mjs";
import { expect } from "./expect.mjs";
import { journey } from "./harness.mjs";

test("a run that is waiting for a call shows its address, and goes on when that is called", () =>
  journey({}, async ({ page, context, call }) => {
    const { id } = await call("POST", "/workflows", PAYMENT);
    await page.goto(`/workflow/${id}`);
    await card(page, "Paid").waitFor();
    await page.getByRole("button", { name: "Run workflow" }).click();
    const banner = page
      .getByRole("status")
      .filter({ hasText: "Wait for payment is waiting for a call" });
    await expect(banner).toHaveText("POST");
    assert.equal(
      await page.getByText("1 item", { exact: true }).count(),
      1,
      "only what reached the waiting node is counted",
    );

    const address = await banner.locator("code").textContent();
    assert.match(address, /\/webhook-waiting\/[\w-]+\/paid$/);
    const answer = await context.request.post(address, { data: {} });
    assert.equal(answer.status(), 200, await answer.text());
    await expect(page.getByText("Succeeded").first()).toBeVisible();
    await expect(banner).toBeGone();
  }));

const node = (id, name, type, typeVersion, parameters = {}) => ({
  id: String(id),
  name,
  type: `n8n-nodes-base.${type}`,
  typeVersion,
  position: [id * 220, 0],
  parameters,
});
const to = (name) => ({ main: [[{ node: name, type: "main", index: 0 }]] });

const CALLED = { resume: "webhook", httpMethod: "POST", options: { webhookSuffix: "paid" } };
const PAYMENT = {
  name: "Payment",
  nodes: [
    node(0, "Start", "manualTrigger", 1),
    { ...node(1, "Wait for payment", "wait", 1.1, CALLED), webhookId: "payment" },
    node(2, "Paid", "noOp", 1),
  ],
  connections: { Start: to("Wait for payment"), "Wait for payment": to("Paid") },
  settings: {},
};
