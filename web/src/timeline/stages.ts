// The stages of an agent's work, from its trace: how often it came to each and how long that took.

import type { TraceEvent } from "../api/generated";

export type AgentStage = TraceEvent["stage"];

export const STAGES: readonly { stage: AgentStage; label: string; help: string }[] = [
  { stage: "preprocess", label: "Preprocess", help: "The input becomes a message" },
  { stage: "retrieve", label: "Retrieve", help: "Conversation, memory and documents are read" },
  { stage: "plan", label: "Plan", help: "The model decides what to do" },
  { stage: "act", label: "Act", help: "Tools are called" },
  { stage: "integrate", label: "Integrate", help: "Results are put before the model" },
  { stage: "update", label: "Update", help: "Memories take in the turn" },
  { stage: "output", label: "Output", help: "The agent answers" },
];

export interface StageSummary {
  stage: AgentStage;
  label: string;
  help: string;
  count: number;
  durationMs: number;
  isFailed: boolean;
}

/** The stages of one run of an agent, all of them, in their order. */
export function summarizeStages(
  events: readonly TraceEvent[],
  node: string,
  run: number,
): StageSummary[] {
  const own = events.filter((event) => event.node === node && event.run === run);
  return STAGES.map((about) => {
    const found = own.filter((event) => event.stage === about.stage);
    return {
      ...about,
      count: found.length,
      durationMs: found.reduce((sum, event) => sum + (event.durationMs ?? 0), 0),
      isFailed: found.some((event) => event.error !== undefined || hasError(event.detail)),
    };
  });
}

function hasError(detail: unknown): boolean {
  return (
    typeof detail === "object" && detail !== null && "isError" in detail && detail.isError === true
  );
}
