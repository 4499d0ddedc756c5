// Servers in words, the workflows that use one, and the entry of `mcp.json` for a new one. Pure.

import type { McpServer } from "../../api/generated";
import type { WorkflowDocument } from "../../api/workflowDocument";
import type { Tone } from "../../ui";
import { agentWorkflow } from "../../workflows/agentWorkflow";

const HEALTH: Record<string, { label: string; tone: Tone }> = {
  unused: { label: "Not used yet", tone: "neutral" },
  connected: { label: "Connected", tone: "good" },
  stopped: { label: "Stopped", tone: "neutral" },
  failed: { label: "Failed", tone: "bad" },
};

/** Nothing is known of a server that only workflows name: they connect when they run. */
export function healthOf(server: McpServer): { label: string; tone: Tone } | null {
  if (server.health === null) return null;
  return HEALTH[server.health] ?? { label: server.health, tone: "neutral" };
}

const TRANSPORTS: Record<string, string> = {
  stdio: "Process (stdio)",
  http: "Streamable HTTP",
  sse: "HTTP with SSE",
};

export function transportOf(server: McpServer): string {
  if (server.transport === null) return "URL in workflows";
  return TRANSPORTS[server.transport] ?? server.transport;
}

/** Names a row: a server has one in each project that has used it. */
export function serverKey({ name, projectId }: Pick<McpServer, "name" | "projectId">): string {
  return `${projectId ?? ""} ${name}`;
}

/** What needs a person comes first: open decisions, then failures. */
export function compareServers(one: McpServer, other: McpServer): number {
  const rank = (server: McpServer) =>
    server.openCount > 0 ? 0 : server.health === "failed" ? 1 : 2;
  return rank(one) - rank(other) || one.name.localeCompare(other.name);
}

export interface ServerUse {
  workflowId: string;
  workflowName: string;
  isActive: boolean;
  nodes: string[];
}

/** Which workflows name a server. One that is chosen by an expression or a credential is not found. */
export function workflowsUsing(
  server: McpServer,
  workflows: readonly WorkflowDocument[],
): ServerUse[] {
  return workflows.flatMap((workflow) => {
    const nodes = workflow.nodes
      .filter((node) => /\.mcpClient(Tool)?$/.test(node.type) && !node.disabled)
      .filter(({ parameters }) =>
        server.isConfigured
          ? parameters.server === server.name
          : !parameters.server &&
            [parameters.endpointUrl, parameters.sseEndpoint].some(
              (url) => typeof url === "string" && addressKey(url) === server.name,
            ),
      )
      .map((node) => node.name);
    if (nodes.length === 0 || !workflow.id) return [];
    return {
      workflowId: workflow.id,
      workflowName: workflow.name,
      isActive: workflow.active === true,
      nodes,
    };
  });
}

/** An address as it names a server: the same rule as the server's. */
export function addressKey(given: string): string | null {
  const text = given.trim();
  if (text === "") return null;
  try {
    const url = new URL(text.includes("://") ? text : `https://${text}`);
    url.search = "";
    url.hash = "";
    url.username = "";
    url.password = "";
    return url.href;
  } catch {
    return null;
  }
}

export interface ServerForm {
  kind: "process" | "http" | "workflow";
  name: string;
  /** The program, and what it is given: one argument a line. */
  command: string;
  args: string;
  url: string;
  transport: "http" | "sse";
  /** Variables of the process, or headers: `NAME=value`, one a line. */
  pairs: string;
  /** Names of tools, separated by commas; all if empty. */
  tools: string;
}

export const EMPTY_FORM: ServerForm = {
  kind: "process",
  name: "",
  command: "",
  args: "",
  url: "",
  transport: "http",
  pairs: "",
  tools: "",
};

/** Why a server cannot be called so, or nothing. */
export function nameProblem(name: string): string | undefined {
  if (name === "") return "Enter a name.";
  return /^[A-Za-z0-9._-]{1,64}$/.test(name)
    ? undefined
    : "Use up to 64 letters, digits, dots, hyphens and underscores.";
}

export function urlProblem(url: string): string | undefined {
  const given = URL.canParse(url.trim()) ? new URL(url.trim()) : null;
  if (!given || !/^https?:$/.test(given.protocol)) return "Enter an http or https URL.";
  return given.username || given.password
    ? "Leave the user name and password out. Use a credential or a header."
    : undefined;
}

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

/** The lines that are not `NAME=value`. */
export function wrongPairs(text: string): string[] {
  return lines(text).filter((line) => !/^[^=\s]+\s*[=:]/.test(line));
}

function readPairs(text: string): Record<string, string> | undefined {
  const pairs = lines(text).flatMap((line) => {
    const [, name, value] = /^([^=:\s]+)\s*[=:]\s*(.*)$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value ?? ""] as const];
  });
  return pairs.length > 0 ? Object.fromEntries(pairs) : undefined;
}

/** What the operator writes into `mcp.json`. */
export function configSnippet(form: ServerForm): string {
  const tools = form.tools
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  const args = lines(form.args);
  const entry =
    form.kind === "process"
      ? {
          command: form.command.trim() || "npx",
          ...(args.length > 0 && { args }),
          env: readPairs(form.pairs),
        }
      : {
          type: form.transport,
          url: form.url.trim() || "https://mcp.example.com/mcp",
          headers: readPairs(form.pairs),
        };
  const named = { ...entry, ...(tools.length > 0 && { allowedTools: tools }) };
  return JSON.stringify({ mcpServers: { [form.name || "my-server"]: named } }, null, 2);
}

/** A chat with an agent that has the server's tools. */
export function serverWorkflow(
  target: { server: string } | { url: string; transport: "http" | "sse" },
): WorkflowDocument {
  const parameters =
    "server" in target
      ? { server: target.server }
      : {
          endpointUrl: target.url.trim(),
          serverTransport: target.transport === "sse" ? "sse" : "httpStreamable",
        };
  return agentWorkflow("Agent with MCP tools", {
    name: "MCP Client Tool",
    type: "@n8n/n8n-nodes-langchain.mcpClientTool",
    typeVersion: 1.2,
    parameters,
    kind: "ai_tool",
  });
}
