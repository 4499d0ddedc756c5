/** How the start of a workflow is told. */
import { describe, expect, it } from "vitest";
import { spec } from "../../graph/testSpecs";
import { canActivate, triggerLabel } from "./triggerLabels";

const SPECS = [
  spec("Cron", { group: "trigger", trigger: "schedule" }),
  spec("Schedule Trigger", { group: "trigger", trigger: "schedule" }),
  spec("Manual Trigger", { group: "trigger", trigger: "manual" }),
  spec("Webhook", { group: "trigger", trigger: "webhook" }),
  spec("Code"),
];
const types = { find: (type: string) => SPECS.find((one) => one.id === type) };

describe("how a workflow starts", () => {
  it("is told once, in words", () => {
    const used = ["cron", "scheduleTrigger", "code"].map((name) => `n8n-nodes-base.${name}`);
    expect(triggerLabel([...used, "acme.parcelTrigger"], types)).toEqual(["Schedule", "parcel"]);
  });

  it("decides whether it can be active", () => {
    expect(canActivate(["n8n-nodes-base.manualTrigger"], types)).toBe(false);
    expect(canActivate(["n8n-nodes-base.manualTrigger", "n8n-nodes-base.webhook"], types)).toBe(
      true,
    );
    expect(canActivate(["n8n-nodes-base.code"], types)).toBe(false);
  });

  it("goes by the name of a type that is not known", () => {
    expect(canActivate(["acme.parcelTrigger"], types)).toBe(true);
  });
});
