// Drives the published package `n8n-mcp` over stdio against a running Heddle, tool by tool.

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { check, done, key, url, webhookWorkflow } from "./check.mjs";

const server = spawn(process.execPath, [process.env.N8N_MCP], {
  env: {
    PATH: process.env.PATH,
    HOME: process.env.CLIENT_HOME,
    MCP_MODE: "stdio",
    LOG_LEVEL: "error",
    DISABLE_CONSOLE_OUTPUT: "true",
    N8N_MCP_TELEMETRY_DISABLED: "true",
    WEBHOOK_SECURITY_MODE: "moderate",
    N8N_API_URL: url,
    N8N_API_KEY: key,
    N8N_API_MAX_RETRIES: "1",
  },
  stdio: ["pipe", "pipe", "inherit"],
});

process.on("exit", () => server.kill());
const waiting = new Map();
createInterface({ input: server.stdout }).on("line", (line) => {
  if (!line.startsWith("{")) return;
  const message = JSON.parse(line);
  waiting.get(message.id)?.(message);
});
server.on("exit", (code) => check("n8n-mcp keeps running", false, `it ended with ${code}`));

let count = 0;
function request(method, params) {
  const id = ++count;
  server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${method} ${params?.name ?? ""} did not answer`)), 40_000);
    waiting.set(id, (message) => (clearTimeout(timer), resolve(message)));
  });
}

/** Calls a tool that must succeed, and gives back what it says. */
async function tool(name, args = {}) {
  const reply = await request("tools/call", { name, arguments: args });
  const text = reply.result?.content?.[0]?.text ?? JSON.stringify(reply);
  let told;
  try {
    told = JSON.parse(text);
  } catch {
    told = { text };
  }
  const failed = reply.error || reply.result?.isError || told.success === false;
  check(`${name} ${JSON.stringify(args).slice(0, 120)}`, !failed, text);
  return told;
}

await request("initialize", { protocolVersion: "2024-11-05", capabilities: {}, clientInfo: { name: "heddle", version: "1" } });
server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
const offered = (await request("tools/list", {})).result.tools.map((offer) => offer.name);
check("the tools that need an API are offered", offered.includes("n8n_create_workflow"), offered);

const health = await tool("n8n_health_check", { mode: "status" });
check("the instance is healthy", health.data.status === "ok", health);
await tool("n8n_health_check", { mode: "diagnostic", verbose: true });

const created = await tool("n8n_create_workflow", webhookWorkflow("From n8n-mcp", "mcp"));
const id = created.data.id;
check("a new workflow has an id and does not listen", typeof id === "string" && created.data.active === false, created);

for (const mode of ["full", "details", "structure", "minimal"]) {
  const { data } = await tool("n8n_get_workflow", { id, mode });
  check(`get (${mode}) shows the workflow`, JSON.stringify(data).includes("From n8n-mcp"), data);
}
const structure = (await tool("n8n_get_workflow", { id, mode: "structure" })).data;
check("the structure has nodes and connections", structure.nodes.length === 2 && structure.connections.Webhook, structure);
const filtered = (await tool("n8n_get_workflow", { id, mode: "filtered", nodeNames: ["Webhook"] })).data;
check("one node can be asked for", JSON.stringify(filtered).includes("mcp"), filtered);

const changed = webhookWorkflow("Renamed", "mcp");
await tool("n8n_update_full_workflow", { id, ...changed });
check("the name has changed", (await tool("n8n_get_workflow", { id, mode: "minimal" })).data.name === "Renamed", "");

const note = {
  type: "addNode",
  node: { name: "Note", type: "n8n-nodes-base.noOp", typeVersion: 1, position: [440, 0], parameters: {} },
};
const operations = [
  note,
  { type: "addConnection", source: "Edit Fields", target: "Note" },
  { type: "updateNode", nodeName: "Note", updates: { name: "End" } },
  { type: "updateSettings", settings: { executionOrder: "v1", timezone: "UTC" } },
  { type: "updateName", name: "In parts" },
];
await tool("n8n_update_partial_workflow", { id, operations });
const after = (await tool("n8n_get_workflow", { id, mode: "full" })).data;
const workflow = after.workflow ?? after;
check("the parts have changed", workflow.name === "In parts" && workflow.nodes.some((node) => node.name === "End"), workflow);
check("the connection leads to the renamed node", workflow.connections["Edit Fields"].main[0][0].node === "End", workflow.connections);
await tool("n8n_update_partial_workflow", { id, operations: [{ type: "addTag", tag: "from-mcp" }] });
const tagged = await tool("n8n_list_workflows", { limit: 10 });
check("the tag is there", JSON.stringify(tagged).includes("from-mcp"), tagged);
await tool("n8n_update_partial_workflow", { id, operations: [{ type: "removeTag", tag: "from-mcp" }] });

const valid = await tool("n8n_validate_workflow", { id });
check("the workflow is valid", valid.data.valid === true, valid);
await tool("n8n_autofix_workflow", { id, applyFixes: false });
// Not the newest type versions: the client knows some that came after those that run here.
const fixTypes = ["expression-format", "error-output-config", "webhook-missing-path"];
await tool("n8n_autofix_workflow", { id, applyFixes: true, fixTypes });

await tool("n8n_update_partial_workflow", { id, operations: [{ type: "activateWorkflow" }] });
check("it listens", (await tool("n8n_get_workflow", { id, mode: "minimal" })).data.active === true, "");
const called = await tool("n8n_test_workflow", { workflowId: id, triggerType: "webhook", httpMethod: "POST", data: { n: 21 }, waitForResponse: true });
check("the webhook answers", JSON.stringify(called).includes("42"), called);

const listed = await tool("n8n_executions", { action: "list", workflowId: id, limit: 10 });
const executions = listed.data.executions;
check("the execution is listed", executions.length === 1 && executions[0].status === "success", listed);
const execution = executions[0].id;
for (const mode of ["preview", "summary", "filtered", "full"]) {
  const shown = await tool("n8n_executions", { action: "get", id: String(execution), mode, ...(mode === "filtered" && { nodeNames: ["Edit Fields"] }) });
  if (mode !== "preview") check(`execution (${mode}) has its data`, JSON.stringify(shown).includes("42"), shown);
}
const failed = await tool("n8n_executions", { action: "list", status: "error" });
check("a filter by status finds nothing else", failed.data.executions.length === 0, failed);
await tool("n8n_executions", { action: "delete", id: String(execution) });
check("the execution is gone", (await tool("n8n_executions", { action: "list", workflowId: id })).data.executions.length === 0, "");

const versions = await tool("n8n_workflow_versions", { mode: "list", workflowId: id });
check("the client keeps versions", JSON.stringify(versions).includes("version"), versions);

const schema = await tool("n8n_manage_credentials", { action: "getSchema", type: "httpBearerAuth" });
check("the schema of a credential", JSON.stringify(schema).includes("token"), schema);
const credential = await tool("n8n_manage_credentials", { action: "create", name: "Key", type: "httpBearerAuth", data: { token: "t" } });
const credentialId = credential.data.id;
await tool("n8n_manage_credentials", { action: "get", id: credentialId });
await tool("n8n_manage_credentials", { action: "update", id: credentialId, name: "Renamed key" });
const credentials = await tool("n8n_manage_credentials", { action: "list" });
check("the credential is listed without its token", JSON.stringify(credentials).includes("Renamed key") && !JSON.stringify(credentials).includes('"t"'), credentials);
await tool("n8n_manage_credentials", { action: "delete", id: credentialId });

const catalog = await tool("n8n_list_catalog", { kind: "projects" });
check("the projects are listed", JSON.stringify(catalog).includes("personal"), catalog);
await tool("n8n_list_catalog", { kind: "tags" });
const audit = await tool("n8n_audit_instance", {});
check("the audit names the open webhook", JSON.stringify(audit).toLowerCase().includes("webhook"), audit);

await tool("n8n_update_partial_workflow", { id, operations: [{ type: "deactivateWorkflow" }] });
await tool("n8n_delete_workflow", { id });
const left = await tool("n8n_list_workflows", { limit: 100 });
check("the workflow is gone", !JSON.stringify(left).includes(id), left);

server.removeAllListeners("exit");
server.kill();
done("n8n-mcp");
