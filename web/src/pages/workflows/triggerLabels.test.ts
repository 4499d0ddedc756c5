/** How the start of a workflow is told. */
import { describe, expect, it } from "vitest";
import { canActivate, triggerLabel } from "./triggerLabels";

describe("how a workflow starts", () => {
  it("is told once, in words", () => {
    expect(
      triggerLabel(["n8n-nodes-base.cron", "n8n-nodes-base.scheduleTrigger", "acme.parcelTrigger"]),
    ).toEqual(["Schedule", "parcel"]);
  });

  it("decides whether it can be active", () => {
    expect(canActivate(["n8n-nodes-base.manualTrigger"])).toBe(false);
    expect(canActivate(["n8n-nodes-base.manualTrigger", "n8n-nodes-base.webhook"])).toBe(true);
  });
});
