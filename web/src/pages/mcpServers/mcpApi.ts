/** MCP servers, the tools that projects have recorded of them, and what can be done with both. */

import { useQuery } from "@tanstack/react-query";
import { ApiError, api, queryClient } from "../../api/client";
import type {
  McpConnectionInput,
  McpConnectionTest,
  McpServer,
  McpServerList,
  McpTool,
  McpToolDecision,
  McpToolList,
} from "../../api/generated";

export type { McpConnectionTest, McpServer, McpTool } from "../../api/generated";

const KEY = ["mcp"];

/** A server starts and fails by itself, so its state is asked again while the page is open. */
const REFETCH_MS = 10_000;

export function useMcpServers() {
  return useQuery({
    queryKey: [...KEY, "servers"],
    queryFn: async () => (await api.get<McpServerList>("/mcp/servers")).data,
    refetchInterval: REFETCH_MS,
  });
}

/** The recorded tools; none for a server that no project has used. */
export function useMcpTools({ name, projectId }: McpServer) {
  return useQuery({
    queryKey: [...KEY, "tools", name, projectId],
    queryFn: async () =>
      (await api.get<McpToolList>("/mcp/tools", { server: name, projectId })).data,
    enabled: projectId !== null,
  });
}

/** Connects as a workflow of the project would. New tools are recorded by that. */
export async function testServer(
  target: McpConnectionInput,
  signal?: AbortSignal,
): Promise<McpConnectionTest> {
  const tested = await api.post<McpConnectionTest>("/mcp/servers/test", target, signal);
  refresh();
  return tested;
}

/** What was looked at is named by its digest: if the server lists something else by now, nothing is decided. */
export async function decideTool(
  { name, projectId }: McpServer,
  tool: McpTool,
  decision: McpToolDecision["decision"],
) {
  try {
    await api.post<McpTool>("/mcp/tools/decision", {
      projectId,
      server: name,
      tool: tool.name,
      digest: tool.proposed?.digest,
      decision,
    });
  } catch (error) {
    if (error instanceof ApiError && error.code === "MCP_TOOL_CHANGED") refresh();
    throw error;
  }
  refresh();
}

/** The next connection records the tools anew, without asking. */
export async function forgetServer({ name, projectId }: McpServer) {
  const query = new URLSearchParams({ server: name, projectId: projectId ?? "" });
  await api.delete(`/mcp/servers?${query}`);
  refresh();
}

function refresh() {
  void queryClient.invalidateQueries({ queryKey: KEY });
}
