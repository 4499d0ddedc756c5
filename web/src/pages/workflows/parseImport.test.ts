/** What is taken for a workflow, and what is said about the rest. */
import { describe, expect, it } from "vitest";
import { isUrl } from "../../shared/isUrl";
import { parseImport } from "./parseImport";

const plain = { name: "A", nodes: [{ name: "x" }], connections: {} };
const names = (text: string) => {
  const read = parseImport(text, "File");
  return "documents" in read ? read.documents.map((document) => document.name) : read.problem;
};

describe("reading workflows", () => {
  it("takes one and takes many", () => {
    expect(names(JSON.stringify(plain))).toEqual(["A"]);
    expect(names(JSON.stringify([plain, { nodes: [] }]))).toEqual(["A", "File 2"]);
  });

  it("takes them out of the wrappings of galleries", () => {
    expect(names(JSON.stringify({ workflow: plain }))).toEqual(["A"]);
    expect(names(JSON.stringify({ data: { workflow: { workflow: plain } } }))).toEqual(["A"]);
  });

  it("takes what was copied from a canvas and has no name", () => {
    expect(
      names(JSON.stringify({ nodes: [], connections: {}, meta: { instanceId: "x" } })),
    ).toEqual(["File"]);
  });

  it("leaves ids, states and owners behind", () => {
    const read = parseImport(JSON.stringify({ ...plain, id: "7", active: true, shared: [{}] }));
    if (!("documents" in read)) throw new Error(read.problem);
    expect(Object.keys(read.documents[0] ?? {})).toEqual([
      "name",
      "nodes",
      "connections",
      "settings",
      "pinData",
    ]);
  });

  it("says what is wrong with what is no workflow", () => {
    expect(names("")).toMatch(/Nothing to import/);
    expect(names("{")).toMatch(/Invalid JSON/);
    expect(names("[1, null]")).toMatch(/no list of nodes/);
    expect(names('{"workflow":{"workflow":{"workflow":{"workflow":{"nodes":[]}}}}}')).toMatch(
      /no list of nodes/,
    );
  });

  it("reads a file that begins with a byte order mark", () => {
    expect(names(`\uFEFF${JSON.stringify(plain)}`)).toEqual(["A"]);
  });

  it("knows an address when it sees one", () => {
    expect(isUrl(" https://example.com/a.json ")).toBe(true);
    expect(isUrl("example.com")).toBe(false);
  });
});
