/** The line under a node's name: what it does with its parameters, in as few words as fit on a card. */

import type { WorkflowNode } from "../api/workflowDocument";
import { fillTemplate, humanize, locatorValue } from "./subtitleTemplate";
import type { TypeSpec } from "./typeSpec";

/** The most letters a card has room for; longer texts are cut by the card itself. */
const MAX_CHARS = 80;

export function subtitleOf(node: WorkflowNode, spec: TypeSpec | undefined): string {
  if (node.notesInFlow && node.notes) return firstLine(node.notes);
  const line = describedSubtitle(node, spec) ?? genericSubtitle(node.parameters, spec);
  if (line) return firstLine(line);
  if (!spec) return shortType(node.type);
  return spec.name === node.name.replace(/\d+$/, "") ? "" : spec.name;
}

export function shortType(type: string): string {
  return type.split(".").pop() ?? type;
}

type Parameters = Record<string, unknown>;

/** The first template of the type that can be filled. */
function describedSubtitle(node: WorkflowNode, spec: TypeSpec | undefined): string | undefined {
  for (const template of spec?.subtitle ?? []) {
    const line = fillTemplate(template, node.parameters);
    if (line) return line;
  }
  return undefined;
}

function model(parameters: Parameters): string | undefined {
  return (
    locatorValue(parameters.model) ??
    locatorValue(parameters.modelName) ??
    locatorValue(parameters.modelId)
  );
}

function genericSubtitle(parameters: Parameters, spec: TypeSpec | undefined): string | undefined {
  const operation = choiceLabel(parameters, spec, "operation");
  const resource = choiceLabel(parameters, spec, "resource");
  if (operation && resource) return `${operation}: ${resource.toLowerCase()}`;
  return (
    operation ??
    choiceLabel(parameters, spec, "mode") ??
    model(parameters) ??
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
    spec?.params.filter((param) => param.name === name && param.kind.type === "choice") ?? [];
  const value = parameters[name] ?? forms[0]?.default;
  if (typeof value !== "string" || value === "") return undefined;
  for (const form of forms) {
    const options = form.kind.type === "choice" ? form.kind.options : [];
    const option = options.find((candidate) => candidate.value === value);
    if (option) return option.label;
  }
  return parameters[name] === undefined ? undefined : humanize(value);
}

function firstLine(value: string): string {
  const [line = ""] = value.trim().split("\n");
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line;
}
