/** The addresses at which a trigger listens: one for tests, one for the active workflow. */

import type { TriggerKind } from "../api/spec";
import type { WorkflowNode } from "../api/workflowDocument";
import { isObject, type Json, type JsonObject } from "../graph/json";

export interface WebhookUrls {
  methods: string;
  test: string;
  production: string;
  /** The path is computed or cannot be used, so the address is not known here. */
  unknown: boolean;
}

/** `null` for nodes that listen at no address. */
export function getWebhookUrls(
  node: WorkflowNode,
  values: JsonObject,
  workflowId: string | undefined,
  origin: string,
  trigger: TriggerKind | null | undefined,
): WebhookUrls | null {
  if (trigger !== "webhook" && trigger !== "form" && trigger !== "mcp") return null;
  const isForm = trigger === "form";
  const options = isObject(values.options) ? values.options : {};
  const given = text(values.path) || (isForm ? text(options.path) : "");
  const path = pathOf(node, given, workflowId);
  const methods = { webhook: methodsOf(values), form: "GET", mcp: "MCP" }[trigger];
  return {
    methods,
    test: `${origin}/${trigger}-test/${path ?? "…"}`,
    production: `${origin}/${trigger}/${path ?? "…"}`,
    unknown: path === null,
  };
}

/** The same rule as the server's: a path with parts such as `:id` stands behind an id, so that it cannot take another's calls. */
function pathOf(node: WorkflowNode, given: string, workflowId: string | undefined): string | null {
  if (given.startsWith("=")) return null;
  const path = given.trim().replace(/^\/+|\/+$/g, "");
  const id = node.webhookId || undefined;
  if (path !== "" && !path.split("/").some((part) => part.startsWith(":"))) return path;
  if (path !== "") return id || workflowId ? `${id ?? workflowId}/${path}` : null;
  if (id) return id;
  return workflowId && node.id ? `${workflowId}/${node.id}` : null;
}

function methodsOf(values: JsonObject): string {
  const method = values.httpMethod;
  if (Array.isArray(method)) return method.map(String).join(", ");
  const one = text(method);
  return one === "" || one.startsWith("=") ? "GET" : one;
}

function text(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
