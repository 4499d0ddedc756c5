/** How the compatibility report is ordered and summed up. */
import { describe, expect, it } from "vitest";
import {
  buildCompatibility,
  type NodeReport,
  type SupportLevel,
  summarizeCompatibility,
} from "./compatibility";

const node = (name: string, support: SupportLevel): NodeReport => ({
  name,
  type: "t",
  typeVersion: 1,
  support,
  notes: [],
});

describe("the report", () => {
  it("puts first what needs attention", () => {
    const problems = [
      {
        severity: "error" as const,
        place: "",
        stopsNode: false,
        code: "NODE_PARAMETER",
        message: "m",
        node: "b",
      },
    ];
    const report = buildCompatibility({
      problems,
      nodes: [node("a", "full"), node("b", "full"), node("c", "unknown"), node("d", "differs")],
    });
    expect(report.rows.map((row) => row.name)).toEqual(["c", "d", "b", "a"]);
    expect(report.rows[2]?.problems.length).toBe(1);
  });

  it("tells what the server notes in sentences", () => {
    const [row] = buildCompatibility({
      problems: [],
      nodes: [{ ...node("a", "unknown"), notes: ["the type is not known", "Fine."] }],
    }).rows;
    expect(row?.notes).toEqual(["The type is not known.", "Fine."]);
  });

  it("keeps problems of the whole workflow apart", () => {
    const problems = [
      {
        severity: "warning" as const,
        place: "",
        stopsNode: false,
        code: "WORKFLOW_NO_START",
        message: "m",
      },
      {
        severity: "warning" as const,
        place: "",
        stopsNode: false,
        code: "X",
        message: "m",
        node: "not there",
      },
    ];
    expect(buildCompatibility({ problems, nodes: [] }).whole.length).toBe(2);
  });

  it("sums up in a sentence", () => {
    expect(summarizeCompatibility(buildCompatibility({ problems: [], nodes: [] }))).toMatch(
      /no nodes/,
    );
    expect(
      summarizeCompatibility(
        buildCompatibility({ problems: [], nodes: [node("a", "full"), node("b", "full")] }),
      ),
    ).toBe("All 2 nodes are supported.");
    expect(
      summarizeCompatibility(
        buildCompatibility({ problems: [], nodes: [node("a", "unknown"), node("b", "full")] }),
      ),
    ).toMatch(/1 node not supported/);
  });
});
