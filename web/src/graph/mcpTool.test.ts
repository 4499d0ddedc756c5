import { expect, test } from "vitest";
import { mcpToolName } from "./mcpTool";

test("a tool name is what every client accepts", () => {
  expect(mcpToolName("Send an invoice")).toBe("workflow_send_an_invoice");
  expect(mcpToolName("  Ärger & Co. (v2)!")).toBe("workflow_rger_co_v2");
  expect(mcpToolName("日本")).toBe("workflow");
  expect(mcpToolName("x".repeat(500))).toHaveLength(64);
});
