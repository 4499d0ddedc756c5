// What an answer is based on, as the agent recorded it, in words and with the place where it can be looked at.

import type { AnswerSource } from "../api/generated";
import type { AgentReport } from "./agentReport";

export interface DescribedSource {
  id: string;
  type: AnswerSource["type"];
  label: string;
  /** Where it can be looked at: which call of the iteration at which place. */
  iteration?: number;
  /** How that iteration is called. */
  number?: number;
  call?: number;
  /** Words or figures of it stand in the answer. */
  isQuoted: boolean;
}

export function describeSources(report: AgentReport): DescribedSource[] {
  return report.sources.map((source, index) => {
    const found = report.iterations.find(
      (one) => one.item === source.item && one.index === source.iteration,
    );
    const call = found?.toolCalls.findIndex((one) => one.id === source.callId) ?? -1;
    const place = found && call >= 0 ? { iteration: found.at, number: found.index, call } : {};
    return {
      id: String(index),
      type: source.type,
      label: labelOf(source),
      ...place,
      isQuoted: source.isQuoted === true,
    };
  });
}

const EXCERPT_CHARS = 40;

function labelOf(source: AnswerSource): string {
  switch (source.type) {
    case "document": {
      const name = source.title || source.source || excerpt(source.text) || "Document";
      return typeof source.page === "number" ? `${name}, page ${source.page}` : name;
    }
    case "memory":
      return excerpt(source.text) || "Memory entry";
    case "mcp":
      return source.server
        ? `${source.tool ?? "Tool"} (${source.server})`
        : (source.tool ?? "Tool");
    case "tool":
      return source.tool ?? "Tool";
  }
}

function excerpt(text: string | undefined): string {
  const line = (text ?? "").trim();
  return line.length > EXCERPT_CHARS ? `${line.slice(0, EXCERPT_CHARS).trim()}…` : line;
}
