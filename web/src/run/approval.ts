// What an agent asks before it uses a tool, read from the several ways in which the server tells it. Pure.

import type { AgentApproval, Approval } from "../api/generated";

/** One call that asks, as every card about it needs it. */
export interface ApprovalRequest {
  executionId: string;
  node: string;
  /** The full name of the call within the step. */
  call: string;
  tool: string;
  arguments: unknown;
  /** What a person saw is what is approved, and nothing else. */
  digest: string;
  untilMs: number | null;
  decision: AgentApproval["decision"];
  reason: string | null;
  by: string | null;
}

export function fromApprovalRow(row: Approval): ApprovalRequest {
  return { ...row, untilMs: Date.parse(row.untilAt), decision: null, reason: null, by: null };
}

/** A call in the report of an agent. */
export function fromReport(
  told: AgentApproval,
  executionId: string,
  node: string,
  call: { name: string; arguments?: unknown },
): ApprovalRequest {
  return {
    ...told,
    executionId,
    node,
    tool: told.tool ?? call.name,
    arguments: told.arguments ?? call.arguments,
  };
}

/**
 * Reads an event of a run, or a piece of an answer. Which run a stream is of is known; only where it is not, the event says it. `null` where it is
 * told to somebody who may not decide.
 */
export function fromEvent(
  told: Record<string, unknown>,
  executionId: string,
  node: string,
): ApprovalRequest | null {
  const { call, digest } = told;
  if (typeof call !== "string" || typeof digest !== "string") return null;
  const decision =
    told.decision === "approved" || told.decision === "rejected" ? told.decision : null;
  return {
    executionId: executionId || (typeof told.executionId === "string" ? told.executionId : ""),
    node: typeof told.node === "string" ? told.node : node,
    call,
    digest,
    tool: String(told.tool ?? told.name ?? "tool"),
    arguments: told.arguments,
    untilMs: typeof told.untilMs === "number" ? told.untilMs : null,
    decision,
    reason: typeof told.reason === "string" ? told.reason : null,
    by: typeof told.by === "string" ? told.by : null,
  };
}

/** Those asked so far with one more; a decision takes the place of its question. */
export function mergeApproval(
  all: readonly ApprovalRequest[],
  one: ApprovalRequest,
): readonly ApprovalRequest[] {
  const at = all.findIndex((known) => known.node === one.node && known.call === one.call);
  return at < 0 ? [...all, one] : all.map((known, index) => (index === at ? one : known));
}

/** The questions that still wait for somebody. */
export function pendingApprovals(all: readonly ApprovalRequest[], now: number): ApprovalRequest[] {
  return all.filter((one) => one.decision === null && (one.untilMs === null || one.untilMs > now));
}
