/** Servers in words, who uses them, and the entry for a new one. */
import { describe, expect, it } from "vitest";
import type { McpServer } from "../../api/generated";
import type { WorkflowDocument } from "../../api/workflowDocument";
import {
  addressKey,
  compareServers,
  configSnippet,
  EMPTY_FORM,
  nameProblem,
  serverWorkflow,
  urlProblem,
  workflowsUsing,
  wrongPairs,
} from "./serverRows";

const server = (more: Partial<McpServer>): McpServer => ({
  name: "files",
  isConfigured: true,
  projectId: null,
  transport: "stdio",
  address: null,
  health: "connected",
  error: null,
  starts: 0,
  stderr: null,
  toolCount: 0,
  openCount: 0,
  ...more,
});

describe("the list of servers", () => {
  it("begins with what waits for a person, then with what failed", () => {
    const rows = [
      server({ name: "a" }),
      server({ name: "c", health: "failed" }),
      server({ name: "d", openCount: 2 }),
    ];
    expect(rows.sort(compareServers).map((row) => row.name)).toEqual(["d", "c", "a"]);
  });
});

describe("the workflows that use a server", () => {
  const workflow = (type: string, parameters: Record<string, unknown>, more = {}) =>
    ({
      id: "7",
      name: "Desk",
      active: true,
      nodes: [
        { id: "1", name: "Tools", type, typeVersion: 1, position: [0, 0], parameters, ...more },
      ],
      connections: {},
    }) as unknown as WorkflowDocument;
  const TOOL = "@n8n/n8n-nodes-langchain.mcpClientTool";
  const names = (one: McpServer, ...all: WorkflowDocument[]) =>
    workflowsUsing(one, all).map((use) => `${use.workflowName}: ${use.nodes.join(", ")}`);

  it("name a configured one", () => {
    const files = server({});
    expect(names(files, workflow(TOOL, { server: "files" }))).toEqual(["Desk: Tools"]);
    expect(names(files, workflow("n8n-nodes-mcp.mcpClient", { server: "files" }))).toHaveLength(1);
    expect(names(files, workflow(TOOL, { server: "other" }))).toEqual([]);
    expect(names(files, workflow("other-node", { server: "files" }))).toEqual([]);
    expect(names(files, workflow(TOOL, { server: "files" }, { disabled: true }))).toEqual([]);
  });

  it("have its address, whatever secrets are in it", () => {
    const remote = server({ name: "https://mcp.example.com/mcp", isConfigured: false });
    const url = "https://ada:key@mcp.example.com/mcp?key=1";
    expect(names(remote, workflow(TOOL, { endpointUrl: url }))).toHaveLength(1);
    expect(names(remote, workflow(TOOL, { sseEndpoint: "mcp.example.com/mcp" }))).toHaveLength(1);
    expect(names(remote, workflow(TOOL, { endpointUrl: url, server: "files" }))).toEqual([]);
    expect(addressKey("={{ $json.url }}")).not.toBe(remote.name);
  });
});

describe("the entry of mcp.json", () => {
  const read = (form: Partial<typeof EMPTY_FORM>) =>
    JSON.parse(configSnippet({ ...EMPTY_FORM, name: "github", ...form })).mcpServers.github;

  it("starts a process with its arguments and variables", () => {
    const form = { command: "npx", args: "-y\n\n a package ", pairs: "TOKEN=a=b\nEMPTY=" };
    expect(read(form)).toEqual({
      command: "npx",
      args: ["-y", "a package"],
      env: { TOKEN: "a=b", EMPTY: "" },
    });
  });

  it("names an address, its headers and the tools that may be used", () => {
    const form = {
      kind: "http" as const,
      url: " https://mcp.example.com ",
      pairs: "Authorization: Bearer x",
      tools: "search, , read",
    };
    expect(read(form)).toEqual({
      type: "http",
      url: "https://mcp.example.com",
      headers: { Authorization: "Bearer x" },
      allowedTools: ["search", "read"],
    });
  });

  it("is refused where the server would refuse it", () => {
    expect(nameProblem("my-server.2")).toBeUndefined();
    for (const name of ["", "a b", "ä", "x".repeat(65)]) expect(nameProblem(name)).toBeDefined();
    expect(urlProblem("http://127.0.0.1:3000/mcp")).toBeUndefined();
    for (const url of ["", "mcp.example.com", "ftp://a", "https://u:p@a/"])
      expect(urlProblem(url)).toBeDefined();
    expect(wrongPairs("A=1\nnothing\n\nB: 2")).toEqual(["nothing"]);
  });
});

it("a new workflow has the server's tools at its agent", () => {
  const { nodes, connections } = serverWorkflow({ url: "https://a.example/mcp", transport: "sse" });
  expect(connections["MCP Client Tool"]?.ai_tool?.[0]).toEqual([
    { node: "AI Agent", type: "ai_tool", index: 0 },
  ]);
  expect(nodes.at(-1)?.parameters).toEqual({
    endpointUrl: "https://a.example/mcp",
    serverTransport: "sse",
  });
});
