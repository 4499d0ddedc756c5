import { expect, it } from "vitest";
import { resumeCall } from "./resumeUrl";

const wait = (parameters: Record<string, unknown>) =>
  resumeCall({ type: "n8n-nodes-base.wait", parameters });

it("says which address wakes a run: of a call or of a form, with what stands behind it", () => {
  expect(wait({ resume: "webhook", httpMethod: "POST" })).toEqual({
    method: "POST",
    expression: "={{ $execution.resumeUrl }}",
  });
  expect(wait({ resume: "webhook", options: { webhookSuffix: "/paid" } })?.expression).toBe(
    "={{ $execution.resumeUrl }}/paid",
  );
  expect(wait({ resume: "form" })?.expression).toBe("={{ $execution.resumeFormUrl }}");
  expect(resumeCall({ type: "n8n-nodes-base.form", parameters: {} })?.expression).toBe(
    "={{ $execution.resumeFormUrl }}",
  );
});

it("knows no address where only time wakes a run", () => {
  expect(wait({ resume: "timeInterval" })).toBeNull();
  expect(wait({})).toBeNull();
  expect(resumeCall(undefined)).toBeNull();
});
