import { expect, test } from "vitest";
import { filterOperations, guessOperations, type ListedOperation } from "./operationRank";
import { node } from "./testSpecs";

const operation = (line: string, rest: Partial<ListedOperation> = {}): ListedOperation => {
  const [method = "", path = "", id = ""] = line.split(" ");
  return { id, method, path, summary: "", tags: [], deprecated: false, ...rest };
};
const TRACKER = [
  operation("GET /issues listIssues", { tags: ["issues"] }),
  operation("POST /issues createIssue", { tags: ["issues"], summary: "Create an issue" }),
  operation("GET /issues/{id} getIssue", { tags: ["issues"] }),
  operation("DELETE /issues/{id} deleteIssue", { tags: ["issues"] }),
  operation("GET /projects listProjects", { tags: ["projects"] }),
  operation("POST /v0/issues createIssueOld", { tags: ["issues"], deprecated: true }),
  operation("GET /health get_health"),
];
const guesses = (parameters: Record<string, unknown>, type = "tracker") =>
  guessOperations(node("Ask", type, parameters), TRACKER).map(({ id }) => id);

test("resource and operation of a node find the operation that does the same", () => {
  expect(guesses({ resource: "issue", operation: "create" })[0]).toBe("createIssue");
  expect(guesses({ resource: "issue", operation: "delete" })[0]).toBe("deleteIssue");
  expect(guesses({ resource: "project", operation: "getAll" })[0]).toBe("listProjects");
});

test("an operation that is going away comes after the one that stays", () => {
  const found = guesses({ resource: "issue", operation: "create" });
  expect(found.indexOf("createIssueOld")).not.toBe(0);
});

test("a node that says nothing gets no guesses", () => {
  expect(guesses({})).toEqual([]);
  expect(guesses({ operation: "={{ $json.op }}" })).toEqual([]);
  expect(guesses({ operation: "get" }, "weather")).not.toContain("listIssues");
});

test("all words of a search must be there", () => {
  const ids = (query: string) => filterOperations(TRACKER, query).map(({ id }) => id);
  expect(ids("issue post")).toEqual(["createIssue", "createIssueOld"]);
  expect(ids("  ")).toHaveLength(TRACKER.length);
  expect(ids("nothing like it")).toEqual([]);
});
