import { expect, it } from "vitest";
import { testParam } from "../graph/testParam";
import { spec } from "../graph/testSpecs";
import { resumeCall } from "./resumeUrl";

const resume = (value: string) => [{ param: "resume", anyOf: [{ is: value }] }];
const waitSpec = spec("Wait", {
  params: [testParam("resume", { type: "text" }, { default: "timeInterval" })],
  resumedBy: [
    { kind: "form", show: resume("form") },
    { kind: "webhook", show: resume("webhook") },
  ],
});
const wait = (parameters: Record<string, unknown>) =>
  resumeCall({ typeVersion: 1, parameters }, waitSpec);

it("says which address wakes a run: of a call or of a form, with what stands behind it", () => {
  expect(wait({ resume: "webhook", httpMethod: "POST" })).toEqual({
    method: "POST",
    expression: "={{ $execution.resumeUrl }}",
  });
  expect(wait({ resume: "webhook", options: { webhookSuffix: "/paid" } })?.expression).toBe(
    "={{ $execution.resumeUrl }}/paid",
  );
  expect(wait({ resume: "form" })?.expression).toBe("={{ $execution.resumeFormUrl }}");
  expect(
    resumeCall(
      { typeVersion: 1, parameters: {} },
      spec("Form", { resumedBy: [{ kind: "form", show: [] }] }),
    )?.expression,
  ).toBe("={{ $execution.resumeFormUrl }}");
});

it("knows no address where only time wakes a run", () => {
  expect(wait({ resume: "timeInterval" })).toBeNull();
  expect(wait({})).toBeNull();
  expect(resumeCall({ typeVersion: 1, parameters: {} }, undefined)).toBeNull();
});
