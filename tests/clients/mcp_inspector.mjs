// The official inspector's command line against our MCP servers, over HTTP and through `heddle mcp`.

import { spawnSync } from "node:child_process";
import { check, done, key, url } from "./check.mjs";

const { MCP_INSPECTOR, HEDDLE_PROGRAM, HEDDLE_FOLDER, PATH, CLIENT_HOME } = process.env;

function inspect(...parts) {
  const run = spawnSync(process.execPath, [MCP_INSPECTOR, "--cli", ...parts], {
    encoding: "utf8",
    env: { PATH, HOME: CLIENT_HOME },
    timeout: 60_000,
  });
  check(`the inspector ends well: ${parts.join(" ")}`, run.status === 0, run.stderr + run.stdout);
  return JSON.parse(run.stdout);
}

const remote = [`${url}/mcp`, "--transport", "http", "--header", `Authorization: Bearer ${key}`];
const { tools } = inspect(...remote, "--method", "tools/list");
check("tools are listed over HTTP", tools.some((tool) => tool.name === "search_nodes"), tools);
const folder = ["-e", `HEDDLE_DATA=${HEDDLE_FOLDER}`];
const local = inspect(...folder, HEDDLE_PROGRAM, "mcp", "--method", "tools/call", "--tool-name", "list_workflows");
check("a tool is called through the command", local.content[0].text.includes("Weather report"), local);
done("MCP inspector");
