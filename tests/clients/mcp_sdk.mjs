// The official TypeScript SDK of the older revisions against our MCP servers, with a session.

import { check, done, key, url } from "./check.mjs";

const sdk = process.env.MCP_SDK;
const { Client } = await import(`${sdk}/client/index.js`);
const { StreamableHTTPClientTransport } = await import(`${sdk}/client/streamableHttp.js`);

async function connect(path) {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StreamableHTTPClientTransport(new URL(`${url}${path}`), {
    requestInit: { headers: { authorization: `Bearer ${key}` } },
  });
  await client.connect(transport);
  return { client, transport };
}

const { client, transport } = await connect("/mcp");
check("a session is opened", transport.sessionId !== undefined, transport.sessionId);
const { tools } = await client.listTools();
check("management tools are listed", tools.some((tool) => tool.name === "run_workflow"), tools);
check("reading tools say so", tools.find((tool) => tool.name === "get_workflow").annotations.readOnlyHint, tools);
const report = await client.callTool({ name: "workflow_weather_report", arguments: { city: "Turin" } });
check("a workflow answers", report.structuredContent.items[0].sky === "blue over Turin", report);
const page = await client.callTool({ name: "get_node", arguments: { type: "n8n-nodes-base.set" } });
check("a node is described", page.content[0].text.startsWith("# "), page);
await transport.terminateSession();
await client.close();

const fixture = await connect("/mcp/fixture");
const sum = await fixture.client.callTool({ name: "Calculator", arguments: { input: "6 * 7" } });
check("a tool of a workflow answers", sum.content[0].text === "42", sum);
const progress = [];
const slow = await fixture.client.callTool({ name: "slow", arguments: {} }, undefined, {
  onprogress: (told) => progress.push(told.progress),
});
check("a long run tells how far it is", progress.length > 0, slow);
const stop = new AbortController();
setTimeout(() => stop.abort(), 300);
const cancelled = await fixture.client
  .callTool({ name: "slow", arguments: {} }, undefined, { signal: stop.signal })
  .catch((error) => error);
check("a cancelled call has no result", cancelled instanceof Error, cancelled);
let runs = [];
for (let turn = 0; turn < 100 && !runs.some((run) => run.status === "canceled"); turn++) {
  await new Promise((resolve) => setTimeout(resolve, 100));
  const listed = await fetch(`${url}/api/v1/executions?limit=5`, { headers: { "x-n8n-api-key": key } });
  runs = (await listed.json()).data;
}
check("and its run is stopped", runs.some((run) => run.status === "canceled"), runs);
await fixture.client.close();
done("TypeScript SDK");
