// Which workflows have agents, what models they use and what that costs. Pure.

import type { SpendingRow } from "../../api/generated";
import type { WorkflowDocument, WorkflowNode } from "../../api/workflowDocument";
import { edgesOf } from "../../graph/document";
import type { TypeLookup } from "../../graph/typeSpec";

export type { SpendingRow } from "../../api/generated";

/** Whether nodes of a type ask a model in a loop: steps that take a model and tools. Agents that are tools of another are part of that one. */
function isAgent(type: string, types: TypeLookup): boolean {
  const inputs = types.find(type)?.inputs ?? [];
  return ["main", "ai_languageModel", "ai_tool"].every((kind) =>
    inputs.some((port) => port.kind === kind),
  );
}

export interface AgentWorkflow {
  id: string;
  name: string;
  isActive: boolean;
  agents: string[];
  models: string[];
  nTools: number;
  /** Where it takes messages, if it does. */
  chat: WorkflowNode | null;
}

export function listAgentWorkflows(
  workflows: readonly WorkflowDocument[],
  types: TypeLookup,
): AgentWorkflow[] {
  return workflows.flatMap((workflow) => {
    const agents = (workflow.nodes ?? [])
      .filter((node) => isAgent(node.type, types) && !node.disabled)
      .map((node) => node.name);
    if (agents.length === 0 || !workflow.id) return [];
    const serving = edgesOf(workflow).filter((edge) => agents.includes(edge.to));
    const models = serving
      .filter((edge) => edge.kind === "ai_languageModel")
      .map((edge) => modelName(workflow, edge.from));
    return {
      id: workflow.id,
      name: workflow.name,
      isActive: workflow.active === true,
      agents,
      models: [...new Set(models)],
      nTools: serving.filter((edge) => edge.kind === "ai_tool").length,
      chat:
        workflow.nodes.find(
          (node) => types.find(node.type)?.trigger === "chat" && !node.disabled,
        ) ?? null,
    };
  });
}

/** What a model node is set to; its name where that is an expression or nothing. */
function modelName(workflow: WorkflowDocument, name: string): string {
  const given = workflow.nodes.find((node) => node.name === name)?.parameters.model;
  const value =
    typeof given === "object" && given !== null && "value" in given ? given.value : given;
  return typeof value === "string" && value !== "" && !value.startsWith("=") ? value : name;
}

export interface WorkflowSpending {
  calls: number;
  tokens: number;
  dollars: number;
}

/** What each workflow's models cost. */
export function spendingByWorkflow(rows: readonly SpendingRow[]): Map<string, WorkflowSpending> {
  const sums = new Map<string, WorkflowSpending>();
  for (const row of rows) {
    const sum = sums.get(row.workflowId) ?? { calls: 0, tokens: 0, dollars: 0 };
    sums.set(row.workflowId, {
      calls: sum.calls + row.calls,
      tokens: sum.tokens + row.inputTokens + row.outputTokens,
      dollars: sum.dollars + row.dollars,
    });
  }
  return sums;
}

/** The day so many days ago, as the server writes days. */
export function daysAgo(days: number, now: Date): string {
  return new Date(now.getTime() - days * 86_400_000).toISOString().slice(0, 10);
}
