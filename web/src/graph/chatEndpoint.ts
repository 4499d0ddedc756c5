// Where a workflow takes messages, and at which address others reach it. Pure.

import type { WorkflowDocument, WorkflowNode } from "../api/workflowDocument";
import type { TypeLookup, TypeSpec } from "./typeSpec";

export function chatTriggers(document: WorkflowDocument, types: TypeLookup): WorkflowNode[] {
  return document.nodes.filter((node) => {
    const kind = types.find(node.type)?.trigger;
    return (kind === "chat" || kind === "manualChat") && !node.disabled;
  });
}

/**
 * The chat trigger that a run would start with although nobody has said anything: the one that is named, or one where nothing else
 * starts. Pinned data is a message too.
 */
export function findWaitingChatTrigger(
  document: WorkflowDocument,
  trigger: string | undefined,
  types: TypeLookup,
): string | null {
  const chats = chatTriggers(document, types);
  const isTrigger = (node: WorkflowNode) => types.find(node.type)?.group === "trigger";
  const isSaid = (node: WorkflowNode) => (document.pinData?.[node.name]?.length ?? 0) > 0;
  const named = chats.find((node) => node.name === trigger);
  if (named) return isSaid(named) ? null : named.name;
  if (trigger !== undefined || chats.some(isSaid)) return null;
  const hasOther = document.nodes.some(
    (node) => !node.disabled && !chats.includes(node) && isTrigger(node),
  );
  return hasOther ? null : (chats[0]?.name ?? null);
}

/** A trigger of a type that takes messages, left of everything else. */
export function createChatTrigger(document: WorkflowDocument, spec: TypeSpec): WorkflowNode {
  const left = Math.min(0, ...document.nodes.map((node) => node.position[0] - 240));
  const top = document.nodes[0]?.position[1] ?? 0;
  return {
    id: crypto.randomUUID(),
    name: spec.name,
    type: spec.id,
    typeVersion: Math.max(...spec.versions),
    position: [left, top],
    parameters: { options: {} },
    webhookId: crypto.randomUUID(),
  };
}

export interface ChatEndpoint {
  /** Where the chat is, or will be once it is public and the workflow active. */
  url: string;
  isPublic: boolean;
  isActive: boolean;
  /** A page of Heddle's own, or only an address that a page of the author's calls. */
  mode: "hosted" | "embedded";
  protection: "none" | "password" | "people";
  /** A line for a page of the author's. */
  embed: string;
}

/** How others reach a chat; `null` where it can have no address. Only the editor's origin knows who is signed in. */
export function getChatEndpoint(
  document: WorkflowDocument,
  node: WorkflowNode,
  types: TypeLookup,
  webhooks: string,
  editor = webhooks,
): ChatEndpoint | null {
  if (types.find(node.type)?.trigger !== "chat" || !document.id) return null;
  const { parameters } = node;
  // What is copied into a page must not end the attribute or the string that it stands in.
  const encoded = (text: string) => encodeURIComponent(text).replace(/'/g, "%27");
  const path = node.webhookId
    ? encoded(node.webhookId)
    : `${encoded(document.id)}/${encoded(node.id ?? "")}`;
  const url = `${parameters.authentication === "n8nUserAuth" ? editor : webhooks}/webhook/${path}/chat`;
  const mode = parameters.mode === "webhook" ? "embedded" : "hosted";
  const protection =
    parameters.authentication === "basicAuth"
      ? "password"
      : parameters.authentication === "n8nUserAuth"
        ? "people"
        : "none";
  return {
    url,
    isPublic: parameters.public === true,
    isActive: document.active === true,
    mode,
    protection,
    embed: embedSnippet(url, mode),
  };
}

function embedSnippet(url: string, mode: ChatEndpoint["mode"]): string {
  if (mode === "hosted")
    return `<iframe src="${url}" title="Chat" style="width: 400px; height: 600px; border: 0"></iframe>`;
  const body = "{ action: 'sendMessage', sessionId, chatInput }";
  return `fetch('${url}', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(${body}) })`;
}
