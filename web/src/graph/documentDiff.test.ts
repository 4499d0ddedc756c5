import { describe, expect, test } from "vitest";
import { emptyDocument } from "../api/workflowDocument";
import { removeNodes, renameInDocument, setParameter } from "./document";
import { diffDocuments, summarizeDiff } from "./documentDiff";
import { connect } from "./edges";
import { node } from "./testSpecs";

describe("difference", () => {
  const base = connect(
    { ...emptyDocument(), nodes: [node("A", "code"), node("B", "code")] },
    { kind: "main", from: "A", output: 0, to: "B", input: 0 },
  );

  test("added, changed, removed and moved are told apart", () => {
    let later = setParameter(base, "A", "x", 1);
    later = {
      ...removeNodes(later, ["B"]),
      nodes: [...removeNodes(later, ["B"]).nodes, node("C", "code")],
    };
    const difference = diffDocuments(base, later);
    expect(Object.fromEntries(difference.nodes)).toEqual({
      A: "changed",
      B: "removed",
      C: "added",
    });
    expect(difference.details.get("A")).toEqual(["x"]);
    expect(difference.union.nodes.map((one) => one.name)).toEqual(["A", "C", "B"]);
    expect([...difference.edges.values()]).toEqual(["removed"]);
    expect(summarizeDiff(difference)).toBe("1 added · 1 changed · 1 removed · 1 connection");
  });

  test("a renamed node is the same node, and its connections are too", () => {
    const difference = diffDocuments(base, renameInDocument(base, "A", "Other"));
    expect(Object.fromEntries(difference.nodes)).toEqual({ Other: "changed" });
    expect(difference.edges.size).toBe(0);
  });

  test("two that are alike do not differ", () => {
    expect(summarizeDiff(diffDocuments(base, structuredClone(base)))).toBe("No changes");
  });
});
