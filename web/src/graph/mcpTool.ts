/** What a workflow is called as a tool of the instance's MCP server. Pure. */

const PREFIX = "workflow_";
const MAX_LENGTH = 64;

/** The same rule as the server's. Of several workflows with the same name, the later ones get letters of their ID. */
export function mcpToolName(workflowName: string): string {
  const slug = workflowName
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+/, "")
    .toLowerCase();
  return (PREFIX + slug).slice(0, MAX_LENGTH).replace(/_+$/, "");
}
