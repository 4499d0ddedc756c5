// Drives n8n's own published command line client, `@n8n/cli`, against a running Heddle, command by command.

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, done, key, url, webhookWorkflow } from "./check.mjs";

const home = process.env.CLIENT_HOME;
const environment = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: home, N8N_URL: url, N8N_API_KEY: key, NO_COLOR: "1" };

function call(args) {
  return new Promise((resolve) => {
    execFile(process.execPath, [process.env.N8N_CLI, ...args], { env: environment, timeout: 30_000 }, (error, out, err) =>
      resolve({ ok: !error, out, err }),
    );
  });
}

/** Runs a command that must succeed; gives back its JSON, if it prints any. */
async function run(...args) {
  const { ok, out, err } = await call([...args, "--format", "json"]);
  check(`n8n-cli ${args.join(" ")}`, ok, err || out);
  try {
    return JSON.parse(out);
  } catch {
    return out;
  }
}

/** Runs a command that must fail, and must say why. */
async function fails(words, ...args) {
  const { ok, out, err } = await call([...args, "--format", "json"]);
  check(`n8n-cli ${args.join(" ")} fails with '${words}'`, !ok && `${err}${out}`.includes(words), `${err}${out}`);
}

function file(name, value) {
  const path = join(home, name);
  writeFileSync(path, JSON.stringify(value));
  return path;
}

const id = (value) => String(value?.id ?? value?.data?.id);

const workflow = id(await run("workflow", "create", "--file", file("workflow.json", webhookWorkflow("From the CLI", "cli"))));
const shown = await run("workflow", "get", workflow);
check("the workflow comes back as it was sent", shown.nodes.length === 2 && shown.name === "From the CLI", shown);
// What a client got, it may send back whole.
await run("workflow", "update", workflow, "--file", file("workflow.json", { ...shown, name: "Renamed" }));
check("it is renamed", (await run("workflow", "get", workflow)).name === "Renamed", "");
await run("workflow", "activate", workflow);
check("it is active", (await run("workflow", "list", "--active")).some((row) => row.id === workflow), "");
const answer = await fetch(`${url}/webhook/cli`, { method: "POST", headers: { "content-type": "application/json" }, body: '{"n":4}' });
check("the webhook answers", (await answer.json()).doubled === 8, "");

const executions = await run("execution", "list", "--workflow", workflow);
check("the execution is listed", executions.length === 1 && executions[0].status === "success", executions);
const execution = await run("execution", "get", String(executions[0].id), "--include-data");
check("with its data", JSON.stringify(execution).includes("doubled"), execution);
await fails("only failed", "execution", "retry", String(executions[0].id));
await fails("success", "execution", "stop", String(executions[0].id));
await run("execution", "delete", String(executions[0].id));
check("it is gone", (await run("execution", "list")).length === 0, "");

const tag = id(await run("tag", "create", "--name", "live"));
await run("tag", "update", tag, "--name", "alive");
check("the tag is renamed", (await run("tag", "list")).some((row) => row.name === "alive"), "");
await run("workflow", "tags", workflow, "--set", tag);
check("the workflow has the tag", (await run("workflow", "tags", workflow)).some((row) => row.id === tag), "");
check("and is found by it", (await run("workflow", "list", "--tags", "alive")).length === 1, "");

const project = id(await run("project", "create", "--name", "Sales"));
await run("project", "update", project, "--name", "Marketing");
check("the project is renamed", (await run("project", "get", project)).name === "Marketing", "");
const users = await run("user", "list");
check("the owner is listed", users.length >= 1 && users[0].email.includes("@"), users);
await run("user", "get", users[0].id);
await run("project", "add-member", project, "--user", users[0].id, "--role", "project:editor");
check("the member is there", (await run("project", "members", project)).some((row) => row.role === "project:editor"), "");
await run("project", "remove-member", project, "--user", users[0].id);
await run("workflow", "transfer", workflow, "--project", project);

check("a schema is told", JSON.stringify(await run("credential", "schema", "httpBearerAuth")).includes("token"), "");
const made = await run("credential", "create", "--name", "Key", "--type", "httpBearerAuth", "--data", '{"token":"canary-cli"}');
check("what a credential holds does not come back", !JSON.stringify(made).includes("canary-cli"), made);
check("it is listed", (await run("credential", "list")).some((row) => row.name === "Key"), "");
await run("credential", "get", id(made));
await run("credential", "transfer", id(made), "--project", project);
await run("credential", "delete", id(made));

await run("variable", "create", "--key", "REGION", "--value", "north");
const variable = (await run("variable", "list")).find((row) => row.key === "REGION");
await run("variable", "update", variable.id, "--key", "REGION", "--value", "south");
check("the variable has changed", (await run("variable", "list"))[0].value === "south", "");
await run("variable", "delete", variable.id);

check("the audit tells of the webhook", JSON.stringify(await run("audit")).includes("webhook"), "");
await fails("No repository", "source-control", "pull");
await fails("does not exist", "workflow", "get", "nothing");

await run("workflow", "deactivate", workflow);
await run("workflow", "delete", workflow);
await run("project", "delete", project);
await run("tag", "delete", tag);
check("nothing is left", (await run("workflow", "list")).length === 0 && (await run("tag", "list")).every((row) => row.id !== tag), "");
done("@n8n/cli");
