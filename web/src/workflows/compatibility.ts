/** What the server says about a workflow before it is taken in: node by node, put in the order in which it matters. */
import type { WorkflowProblem as CheckProblem, NodeSupport as NodeReport } from "../api/generated";

export type { CheckProblem, NodeReport };

export type SupportLevel = "full" | "differs" | "unknown" | "version";

/** The answer of `POST /workflows/check`. */
export interface WorkflowCheck {
  problems: readonly CheckProblem[];
  nodes: readonly NodeReport[];
}

/** One node of the report with everything that was said about it. */
export interface CompatibilityRow extends NodeReport {
  problems: readonly CheckProblem[];
}

export interface Compatibility {
  /** What needs attention first. */
  rows: CompatibilityRow[];
  /** Problems of the workflow as a whole. */
  whole: CheckProblem[];
  counts: Record<SupportLevel, number>;
}

const ORDER: readonly SupportLevel[] = ["unknown", "version", "differs", "full"];

/** How much of a node works here, in a word. */
export const SUPPORT_LABELS: Record<SupportLevel, string> = {
  full: "Supported",
  differs: "Differs",
  version: "Other version",
  unknown: "Not supported",
};

export function buildCompatibility(answer: WorkflowCheck): Compatibility {
  const counts: Record<SupportLevel, number> = { full: 0, differs: 0, unknown: 0, version: 0 };
  for (const node of answer.nodes) counts[node.support] += 1;
  const known = new Set(answer.nodes.map((node) => node.name));
  const rows = answer.nodes.map((node) => ({
    ...node,
    notes: node.notes.map(sentence),
    problems: answer.problems.filter((problem) => problem.node === node.name),
  }));
  rows.sort((one, other) => weight(one) - weight(other));
  return {
    rows,
    whole: answer.problems.filter((problem) => !problem.node || !known.has(problem.node)),
    counts,
  };
}

/** The report in one sentence. */
export function summarizeCompatibility(report: Compatibility): string {
  const total = report.rows.length;
  const nodes = (count: number) => `${count} ${count === 1 ? "node" : "nodes"}`;
  if (total === 0) return "The workflow has no nodes.";
  const { unknown, version, differs } = report.counts;
  if (unknown + version + differs === 0)
    return total === 1 ? "The node is supported." : `All ${total} nodes are supported.`;
  const parts = [];
  if (unknown > 0) parts.push(`${nodes(unknown)} not supported`);
  if (version > 0) parts.push(`${nodes(version)} in another version`);
  if (differs > 0) parts.push(`${nodes(differs)} with differences`);
  return `Of ${total}: ${parts.join(", ")}. You can import the workflow. Unsupported nodes are kept unchanged.`;
}

/** Begins with a capital and ends with a full stop. */
export function sentence(text: string): string {
  const begun = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?…]$/.test(begun) ? begun : `${begun}.`;
}

function weight(row: CompatibilityRow): number {
  const severe = row.problems.some((problem) => problem.severity === "error") ? 0 : 1;
  return ORDER.indexOf(row.support) * 2 + severe;
}
