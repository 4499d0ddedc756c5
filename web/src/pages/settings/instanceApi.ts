/** What the instance tells about itself: its health, its limits, and what deserves a second look. */
import { useQuery } from "@tanstack/react-query";
import { ApiError, api } from "../../api/client";

export { useInstance } from "../../api/instance";

export interface Health {
  ready: boolean;
  reason?: string;
}

export function useHealth() {
  return useQuery({
    queryKey: ["health"],
    queryFn: async (): Promise<Health> => {
      try {
        await api.raw("GET", "/healthz/readiness");
        return { ready: true };
      } catch (error) {
        const told =
          error instanceof ApiError
            ? (error.body as { reason?: string } | null)?.reason
            : undefined;
        return { ready: false, reason: told ?? (error as Error).message };
      }
    },
    refetchInterval: 15_000,
  });
}

export interface RiskSection {
  title: string;
  description?: string;
  recommendation?: string;
  location?: readonly {
    kind?: string;
    name?: string;
    id?: string;
    workflowId?: string;
    workflowName?: string;
    nodeName?: string;
  }[];
}

export interface RiskReport {
  title: string;
  sections: readonly RiskSection[];
}

/** Looks for risks; an instance without any gives an empty list. */
export async function runAudit(): Promise<RiskReport[]> {
  const answer = await api.post<Record<string, { sections: RiskSection[] }> | []>("/audit");
  if (Array.isArray(answer)) return [];
  return Object.entries(answer).map(([title, report]) => ({
    title: title.replace(/ Risk Report$/, ""),
    sections: report.sections,
  }));
}

/** Limits whose names in code say too little. */
const LIMITS: Record<string, string> = {
  bodyBytes: "Request body size",
  connections: "Concurrent connections",
};

/** The name of a limit in words and its value with a unit. */
export function describeLimit(name: string, value: number | null): [string, string] {
  const label = name.replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  const plain = label.replace(/ (bytes|ms)$/, "");
  const shown =
    value === null
      ? "None"
      : name.endsWith("Bytes")
        ? `${(value / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 })} MB`
        : name.endsWith("Ms")
          ? `${value / 1000} s`
          : value.toLocaleString("en");
  return [LIMITS[name] ?? plain.charAt(0).toUpperCase() + plain.slice(1), shown];
}
