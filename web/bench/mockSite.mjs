/**
 * What the canvas is measured with: a build of the editor served on its own, and the answers of a server that knows one large workflow.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The server's answers, so that only the page is measured. */
export function answer(route, count) {
  const { pathname } = new URL(route.request().url());
  const json = (body) =>
    route.fulfill({ contentType: "application/json", body: JSON.stringify(body) });
  if (pathname === "/api/me")
    return json({ id: "1", email: "a@example.com", firstName: "A", lastName: "B", role: "owner" });
  if (pathname === "/api/v1/node-types") return json(types());
  if (pathname === "/api/v1/workflows/bench") return json(workflow(count));
  if (pathname === "/api/v1/workflows/check") return json({ problems: [], nodes: [] });
  return json({ data: [], nextCursor: null });
}

/** Rows of chains with a branch now and then, as large workflows have them. */
function workflow(count) {
  const nodes = [];
  const connections = {};
  const perRow = 25;
  for (let index = 0; index < count; index++) {
    const [row, column] = [Math.floor(index / perRow), index % perRow];
    const kind = column === 0 ? "webhook" : ["set", "httpRequest", "code", "if"][index % 4];
    const name = `Step ${index}`;
    nodes.push({
      id: String(index),
      name,
      type: `n8n-nodes-base.${kind}`,
      typeVersion: 1,
      position: [column * 220, row * 140],
      parameters: { url: "https://api.example.com/users", method: "GET" },
    });
    if (column < perRow - 1 && index + 1 < count) {
      const next = { node: `Step ${index + 1}`, type: "main", index: 0 };
      const below = { node: `Step ${index + perRow + 1}`, type: "main", index: 0 };
      const branches = kind === "if" && index + perRow + 1 < count && column % 8 === 3;
      connections[name] = { main: branches ? [[next], [below]] : [[next]] };
    }
  }
  return {
    id: "bench",
    name: `${count} nodes`,
    nodes,
    connections,
    settings: {},
    pinData: {},
    active: false,
    versionId: "1",
    tags: [],
  };
}

function types() {
  const type = (name, group, rest = {}) => ({
    id: `n8n-nodes-base.${name}`,
    versions: [1],
    name,
    summary: "",
    group,
    inputs: group === "trigger" ? [] : [{ kind: "main", label: "" }],
    outputs: [{ kind: "main", label: "" }],
    params: [],
    credentials: [],
    aliases: [],
    inputRules: [],
    outputRules: [],
    ...rest,
  });
  const ways = [
    { kind: "main", label: "true" },
    { kind: "main", label: "false" },
  ];
  return [
    type("webhook", "trigger"),
    type("set", "data"),
    type("httpRequest", "integration"),
    type("code", "data"),
    type("if", "flow", { outputs: ways }),
  ];
}

/** The address of the site: the one that was given, or of a build made for this. */
export async function served(url) {
  if (url) return { url, close: () => {} };
  const { build, preview } = await import("vite");
  const folder = mkdtempSync(join(tmpdir(), "heddle-bench-"));
  const root = new URL("..", import.meta.url).pathname;
  await build({ root, logLevel: "error", build: { outDir: folder, emptyOutDir: true } });
  const server = await preview({
    root,
    logLevel: "error",
    build: { outDir: folder },
    preview: { port: 0, strictPort: false },
  });
  const close = () =>
    new Promise((resolve) => {
      rmSync(folder, { recursive: true, force: true });
      server.httpServer.close(resolve);
      server.httpServer.closeAllConnections?.();
    });
  return { url: server.resolvedUrls.local[0], close };
}
