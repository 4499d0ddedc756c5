import { expect, it } from "vitest";
import { emptyDocument, type WorkflowNode } from "../api/workflowDocument";
import {
  chatTriggers,
  createChatTrigger,
  findWaitingChatTrigger,
  getChatEndpoint,
} from "../graph/chatEndpoint";
import { spec } from "../graph/testSpecs";
import type { TypeSpec } from "../graph/typeSpec";
import { acceptsFile } from "./attachments";

const document = { ...emptyDocument(), id: "w1" };

const chatSpec: TypeSpec = {
  ...spec("Chat Trigger", { group: "trigger", inputs: [], trigger: "chat" }),
  versions: [1, 1.4],
};
const manualSpec = spec("Manual Trigger", { group: "trigger", inputs: [], trigger: "manual" });
const types = { find: (type: string) => [chatSpec, manualSpec].find((one) => one.id === type) };

function trigger(parameters: Record<string, unknown>): WorkflowNode {
  return { ...createChatTrigger(document, chatSpec), webhookId: "u-1", parameters };
}

it("shares the address that the server answers at", () => {
  const door = getChatEndpoint(document, trigger({ public: true }), types, "https://h.example");
  expect(door?.url).toBe("https://h.example/webhook/u-1/chat");
  expect(door?.embed).toContain('<iframe src="https://h.example/webhook/u-1/chat"');
  const { webhookId: _, ...bare } = { ...trigger({}), id: "n-1" };
  expect(getChatEndpoint(document, bare as WorkflowNode, types, "https://h.example")?.url).toBe(
    "https://h.example/webhook/w1/n-1/chat",
  );
});

it("issue_14_00_what_is_copied_into_a_page_stays_an_address", () => {
  for (const mode of ["hostedChat", "webhook"]) {
    const node = { ...trigger({ mode }), webhookId: `x" onload='alert(1)'><script>` };
    const embed = getChatEndpoint(document, node, types, "https://h.example")?.embed ?? "";
    expect(embed).toContain(
      "https://h.example/webhook/x%22%20onload%3D%27alert(1)%27%3E%3Cscript%3E/chat",
    );
    expect(embed).not.toContain("<script>");
  }
});

it("has no address before the workflow is saved", () => {
  expect(getChatEndpoint(emptyDocument(), trigger({}), types, "https://h.example")).toBeNull();
});

it("says who may come in", () => {
  expect(getChatEndpoint(document, trigger({}), types, "")).toMatchObject({
    isPublic: false,
    isActive: false,
    mode: "hosted",
    protection: "none",
  });
  expect(
    getChatEndpoint(
      document,
      trigger({ mode: "webhook", authentication: "n8nUserAuth" }),
      types,
      "",
    ),
  ).toMatchObject({
    mode: "embedded",
    protection: "people",
  });
});

it("finds the triggers that take messages and are not switched off", () => {
  const on = trigger({});
  expect(
    chatTriggers({ ...document, nodes: [on, { ...on, name: "Off", disabled: true }] }, types),
  ).toEqual([on]);
});

it("takes the kinds of files that the author named", () => {
  const images = trigger({ options: { allowedFilesMimeTypes: "image/*, .md" } });
  expect(acceptsFile(images, { name: "a.png", type: "image/png" })).toBe(true);
  expect(acceptsFile(images, { name: "A.MD", type: "" })).toBe(true);
  expect(acceptsFile(images, { name: "a.pdf", type: "application/pdf" })).toBe(false);
  expect(acceptsFile(trigger({}), { name: "a.pdf", type: "application/pdf" })).toBe(true);
});

it("asks for a message where a run would begin with one that nobody has sent", () => {
  const chat = trigger({});
  const manual: WorkflowNode = { ...chat, name: "By hand", type: manualSpec.id };
  const both = { ...document, nodes: [chat, manual] };
  expect(findWaitingChatTrigger({ ...document, nodes: [chat] }, undefined, types)).toBe(chat.name);
  expect(findWaitingChatTrigger(both, undefined, types)).toBeNull();
  expect(findWaitingChatTrigger(both, chat.name, types)).toBe(chat.name);
  expect(findWaitingChatTrigger(both, "By hand", types)).toBeNull();
  expect(
    findWaitingChatTrigger({ ...both, pinData: { [chat.name]: [{ json: {} }] } }, chat.name, types),
  ).toBeNull();
  expect(findWaitingChatTrigger(document, undefined, types)).toBeNull();
});
