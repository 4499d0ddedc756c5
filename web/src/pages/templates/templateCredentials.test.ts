import { expect, test } from "vitest";
import type { NodeType } from "../../api/spec";
import { emptyDocument } from "../../api/workflowDocument";
import type { Credential } from "../../credentials/credentialApi";
import { offerCredentials, withCredentials } from "./templateCredentials";

const TYPE = { params: [], credentials: [{ kind: "openAiApi", required: true }] };
const catalogue = {
  find: (type: string) => (type === "model" ? (TYPE as unknown as NodeType) : undefined),
};
const node = (name: string, type: string) => ({
  name,
  type,
  typeVersion: 1,
  position: [0, 0] as const,
  parameters: {},
});
const template = { ...emptyDocument(), nodes: [node("Model", "model"), node("Other", "unknown")] };
const credential = (id: string, type = "openAiApi") =>
  ({ id, name: `Key ${id}`, type }) as Credential;

test("the only fitting credential is offered and goes where it is asked for", () => {
  const offers = offerCredentials(template, catalogue, [credential("1"), credential("2", "redis")]);
  expect(offers).toEqual([{ credential: credential("1"), nodes: ["Model"] }]);
  const made = withCredentials(template, offers);
  expect(made.nodes[0]?.credentials).toEqual({ openAiApi: { id: "1", name: "Key 1" } });
  expect(made.nodes[1]).toBe(template.nodes[1]);
});

test("of several credentials none is offered", () => {
  expect(offerCredentials(template, catalogue, [credential("1"), credential("2")])).toEqual([]);
  expect(offerCredentials(template, catalogue, [])).toEqual([]);
});
