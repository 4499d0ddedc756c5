/** The line under a node's name: what it does with its parameters, in as few words as fit on a card. */

import type { WorkflowNode } from "../api/workflowDocument";
import { valueAt } from "./document";
import type { ParamSpec, TypeSpec } from "./typeSpec";

/** The most letters a card has room for; longer texts are cut by the card itself. */
const MAX_CHARS = 80;

export function subtitleOf(node: WorkflowNode, spec: TypeSpec | undefined): string {
  if (node.notesInFlow && node.notes) return firstLine(node.notes);
  const told =
    subtitleFormatters[shortType(node.type)]?.(node.parameters, node) ??
    genericSubtitle(node.parameters, spec);
  if (told) return firstLine(told);
  if (!spec) return shortType(node.type);
  return spec.name === node.name.replace(/\d+$/, "") ? "" : spec.name;
}

export function shortType(type: string): string {
  return type.split(".").pop() ?? type;
}

type Parameters = Record<string, unknown>;
type SubtitleFormatter = (parameters: Parameters, node: WorkflowNode) => string | undefined;

const http: SubtitleFormatter = (parameters) => {
  const url = text(parameters.url) ?? text(parameters.endpoint);
  return (
    url && `${text(parameters.method) ?? text(parameters.requestMethod) ?? "GET"} ${shortUrl(url)}`
  );
};

const conditions: SubtitleFormatter = (parameters) => {
  const list = valueAt(parameters, "conditions.conditions");
  if (!Array.isArray(list) || list.length === 0) return undefined;
  if (list.length > 1) return `${list.length} conditions`;
  const [first] = list as Parameters[];
  const operation = text(valueAt(first, "operator.operation")) ?? "";
  return [valueText(first?.leftValue), humanize(operation), valueText(first?.rightValue)]
    .filter(Boolean)
    .join(" ");
};

const webhook: SubtitleFormatter = (parameters) => {
  const method = parameters.httpMethod;
  const path = text(parameters.path);
  return `${Array.isArray(method) ? method.join(", ") : (text(method) ?? "GET")} /${path && !isUuid(path) ? path : ""}`.replace(
    / \/$/,
    "",
  );
};

const model: SubtitleFormatter = (parameters) =>
  locatorValue(parameters.model) ??
  locatorValue(parameters.modelName) ??
  locatorValue(parameters.modelId);

/** Only nodes whose settings say more than the generic line would. */
const subtitleFormatters: Record<string, SubtitleFormatter> = {
  httpRequest: http,
  httpRequestTool: http,
  "http-request-tool": http,
  toolHttpRequest: http,
  graphql: http,
  webhook,
  if: conditions,
  filter: conditions,
  code: (parameters) =>
    text(parameters.language) === "python" || text(parameters.language) === "pythonNative"
      ? "Python"
      : "JavaScript",
  set: (parameters) => {
    if (text(parameters.mode) === "raw") return "JSON";
    const fields =
      valueAt(parameters, "assignments.assignments") ?? valueAt(parameters, "fields.values");
    return Array.isArray(fields)
      ? fields
          .map((field: Parameters) => text(field.name) ?? "")
          .filter(Boolean)
          .join(", ")
      : undefined;
  },
  switch: (parameters) => {
    const rules = valueAt(parameters, "rules.values") ?? valueAt(parameters, "rules.rules");
    return Array.isArray(rules) && rules.length > 0
      ? `${rules.length} ${rules.length === 1 ? "rule" : "rules"}`
      : undefined;
  },
  scheduleTrigger: (parameters) => {
    const [first, ...more] = (valueAt(parameters, "rule.interval") ?? []) as Parameters[];
    if (!first) return undefined;
    return intervalText(first) + (more.length > 0 ? ` and ${more.length} more` : "");
  },
  executeWorkflow: (parameters) => locatorName(parameters.workflowId),
  toolWorkflow: (parameters) => locatorName(parameters.workflowId),
  "workflow-tool": (parameters) => locatorName(parameters.workflowId),
  wait: (parameters) => {
    const amount = parameters.amount;
    return (parameters.resume ?? "timeInterval") === "timeInterval" && amount !== undefined
      ? `${valueText(amount)} ${unitText(amount, text(parameters.unit) ?? "seconds")}`
      : undefined;
  },
  limit: (parameters) =>
    parameters.maxItems === undefined ? undefined : `${valueText(parameters.maxItems)} items`,
  splitOut: (parameters) => text(parameters.fieldToSplitOut),
  splitInBatches: (parameters) =>
    parameters.batchSize === undefined ? undefined : `${valueText(parameters.batchSize)} at a time`,
  formTrigger: (parameters) => text(parameters.formTitle),
  stopAndError: (parameters) => text(parameters.errorMessage),
  rssFeedRead: (parameters) => text(parameters.url) && shortUrl(text(parameters.url) ?? ""),
};

function unitText(amount: unknown, unit: string): string {
  return amount === 1 ? unit.replace(/s$/, "") : unit;
}

function genericSubtitle(parameters: Parameters, spec: TypeSpec | undefined): string | undefined {
  const operation = choiceLabel(parameters, spec, "operation");
  const resource = choiceLabel(parameters, spec, "resource");
  if (operation && resource) return `${operation}: ${resource.toLowerCase()}`;
  return (
    operation ??
    choiceLabel(parameters, spec, "mode") ??
    model(parameters, {} as WorkflowNode) ??
    choiceLabel(parameters, spec, "action")
  );
}

/** The label of a choice, as the form shows it; a default counts too, since n8n does not save it. */
function choiceLabel(
  parameters: Parameters,
  spec: TypeSpec | undefined,
  name: string,
): string | undefined {
  const forms =
    spec?.params.filter(
      (param: ParamSpec) => param.name === name && param.kind.type === "choice",
    ) ?? [];
  const value = parameters[name] ?? forms[0]?.default;
  if (typeof value !== "string" || value === "") return undefined;
  for (const form of forms) {
    const option = form.kind.options?.find((candidate) => candidate.value === value);
    if (option) return option.label;
  }
  return parameters[name] === undefined ? undefined : humanize(value);
}

function intervalText(rule: Parameters): string {
  const field = text(rule.field) ?? "days";
  if (field === "cronExpression") return text(rule.expression) ?? "Cron";
  const key = `${field}Interval`;
  const count = typeof rule[key] === "number" ? (rule[key] as number) : 1;
  const every = count === 1 ? `Every ${field.replace(/s$/, "")}` : `Every ${count} ${field}`;
  if (field !== "days" && field !== "weeks" && field !== "months") return every;
  const hour = typeof rule.triggerAtHour === "number" ? rule.triggerAtHour : 0;
  const minute = typeof rule.triggerAtMinute === "number" ? rule.triggerAtMinute : 0;
  return `${every} at ${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

function locatorValue(value: unknown): string | undefined {
  return text(value) ?? text(valueAt(value, ["value"]));
}

function locatorName(value: unknown): string | undefined {
  return text(valueAt(value, ["cachedResultName"])) ?? locatorValue(value);
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== ""
    ? expressionText(value.trim())
    : undefined;
}

/** An expression without its brackets, which only take room here. */
function expressionText(value: string): string {
  return value.startsWith("=") ? value.slice(1).replace(/\{\{\s*(.*?)\s*\}\}/g, "$1") : value;
}

function valueText(value: unknown): string {
  return (
    text(value) ?? (typeof value === "number" || typeof value === "boolean" ? String(value) : "")
  );
}

function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, "").replace(/\?.*$/, "");
}

/** `notEquals` becomes `not equals`. */
function humanize(name: string): string {
  const spaced = name
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .replace(/[_-]+/g, " ")
    .toLowerCase();
  return { equals: "=", "not equals": "≠", gt: ">", lt: "<", gte: "≥", lte: "≤" }[spaced] ?? spaced;
}

function isUuid(value: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(value);
}

function firstLine(value: string): string {
  const [line = ""] = value.trim().split("\n");
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line;
}
