/** How the list of workflows is filtered, sorted and written into the address. */
import { describe, expect, it } from "vitest";
import {
  commonTags,
  copyName,
  filterRows,
  mergeTags,
  parseListView,
  serializeListView,
  toRow,
  type WorkflowRow,
} from "./workflowRows";

const row = (id: string, fields: Partial<WorkflowRow> = {}): WorkflowRow => ({
  id,
  name: id,
  active: false,
  archived: false,
  createdAt: "2026-01-01",
  updatedAt: "2026-01-01",
  tags: [],
  nodeCount: 1,
  types: [],
  folderId: null,
  projectId: "own",
  ...fields,
});

const rows = [
  row("Orders", { active: true, updatedAt: "2026-03-01", tags: [{ id: "1", name: "shop" }] }),
  row("Invoices 10", { updatedAt: "2026-02-01", folderId: "f" }),
  row("Invoices 9", { updatedAt: "2026-04-01", folderId: "f", projectId: "team" }),
  row("Old", { archived: true }),
];
const shown = (query: string) =>
  filterRows(rows, parseListView(new URLSearchParams(query))).map((found) => found.id);

describe("the list of workflows", () => {
  it("shows what lies in the open folder, last changed first", () => {
    expect(shown("")).toEqual(["Orders"]);
    expect(shown("folder=f")).toEqual(["Invoices 9", "Invoices 10"]);
  });

  it("searches all folders", () => {
    expect(shown("q=inv")).toEqual(["Invoices 9", "Invoices 10"]);
    expect(shown("tag=shop")).toEqual(["Orders"]);
    expect(shown("tag=shop&tag=other")).toEqual([]);
  });

  it("sorts names as people count", () => {
    expect(shown("folder=f&sort=name")).toEqual(["Invoices 9", "Invoices 10"]);
    expect(shown("folder=f&sort=name&order=desc")).toEqual(["Invoices 10", "Invoices 9"]);
  });

  it("shows archived workflows only when they are asked for", () => {
    expect(shown("q=old")).toEqual([]);
    expect(shown("status=archived")).toEqual(["Old"]);
  });

  it("keeps to a project and to active ones", () => {
    expect(shown("folder=f&project=team")).toEqual(["Invoices 9"]);
    expect(shown("status=active")).toEqual(["Orders"]);
    expect(shown("status=inactive")).toEqual([]);
  });
});

describe("the address of a view", () => {
  it("is plain when nothing is asked for", () => {
    expect(serializeListView(parseListView(new URLSearchParams())).toString()).toBe("");
  });

  it("comes back as it was", () => {
    const query = "q=a+b&tag=x&tag=y&status=active&folder=f&sort=name&order=desc";
    expect(serializeListView(parseListView(new URLSearchParams(query))).toString()).toBe(query);
  });

  it("reads what it does not know as nothing", () => {
    expect(parseListView(new URLSearchParams("status=strange&sort=strange"))).toMatchObject({
      status: "all",
      sort: "updated",
    });
  });
});

describe("a row", () => {
  it("counts steps without notes and tells how the workflow starts", () => {
    const node = (type: string) => ({
      name: type,
      type,
      typeVersion: 1,
      position: [0, 0] as const,
      parameters: {},
    });
    const types = [
      "n8n-nodes-base.webhook",
      "n8n-nodes-base.set",
      "n8n-nodes-base.stickyNote",
      "n8n-nodes-base.scheduleTrigger",
    ];
    const made = toRow({
      id: "1",
      name: "x",
      nodes: types.map(node),
      connections: {},
      parentFolder: { id: "f" },
    });
    expect(made).toMatchObject({ nodeCount: 3, folderId: "f" });
    expect(made.types).toEqual([
      "n8n-nodes-base.webhook",
      "n8n-nodes-base.set",
      "n8n-nodes-base.scheduleTrigger",
    ]);
  });
});

describe("the name of a copy", () => {
  it("is one that nothing else has", () => {
    expect(copyName("A", [])).toBe("Copy of A");
    expect(copyName("A", ["Copy of A", "Copy of A (2)"])).toBe("Copy of A (3)");
  });
});

describe("tags of several workflows", () => {
  const tag = (name: string) => ({ id: name, name });
  const both = [
    row("A", { tags: [tag("shop"), tag("daily")] }),
    row("B", { tags: [tag("daily"), tag("slow")] }),
  ];

  it("shows those that all of them have", () => {
    expect(commonTags(both)).toEqual(["daily"]);
    expect(commonTags([])).toEqual([]);
  });

  it("leaves to each what only it has", () => {
    expect(both.map((one) => mergeTags(one, ["daily"], ["new"]))).toEqual([
      ["shop", "new"],
      ["slow", "new"],
    ]);
  });
});
