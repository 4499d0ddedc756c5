import { expect, test } from "vitest";
import type { TriggerKind } from "../api/spec";
import { getWebhookUrls } from "./webhookUrls";

const node = {
  id: "n1",
  name: "Hook",
  type: "n8n-nodes-base.webhook",
  typeVersion: 2,
  position: [0, 0] as const,
  parameters: {},
  webhookId: "u-1",
};
const at = (
  values: Record<string, string>,
  more = {},
  trigger: TriggerKind | undefined = "webhook",
) => getWebhookUrls({ ...node, ...more }, values, "w1", "https://h.example", trigger);

test("a webhook listens at its path, for tests at another door", () => {
  expect(at({ path: "/orders/" })).toEqual({
    methods: "GET",
    test: "https://h.example/webhook-test/orders",
    production: "https://h.example/webhook/orders",
    unknown: false,
  });
});

test("a path with parts that vary stands behind the webhook's id", () => {
  expect(at({ path: "user/:id", httpMethod: "POST" })).toMatchObject({
    methods: "POST",
    production: "https://h.example/webhook/u-1/user/:id",
  });
});

test("without a path the id is the address, or the ids of workflow and node", () => {
  expect(at({})?.production).toBe("https://h.example/webhook/u-1");
  expect(at({}, { webhookId: undefined })?.production).toBe("https://h.example/webhook/w1/n1");
});

test("a computed path is not known here, and other nodes have none", () => {
  expect(at({ path: "={{ 1 }}" })?.unknown).toBe(true);
  expect(at({}, {}, "schedule")).toBeNull();
});

test("a form is a page", () => {
  expect(at({ path: "feedback" }, {}, "form")?.test).toBe("https://h.example/form-test/feedback");
});

test("an MCP server has a URL of its own", () => {
  expect(at({ path: "tickets" }, {}, "mcp")).toEqual({
    methods: "MCP",
    test: "https://h.example/mcp-test/tickets",
    production: "https://h.example/mcp/tickets",
    unknown: false,
  });
});
