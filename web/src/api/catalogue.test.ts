import { expect, test } from "vitest";
import { Catalogue } from "./catalogue";
import type { NodeType } from "./spec";

const port = (kind: string) => ({
  kind,
  label: "",
  required: false,
  maxConnections: null,
  show: [],
});
const request = {
  id: "n8n-nodes-base.httpRequest",
  versions: [4, 4.2],
  name: "HTTP Request",
  group: "integration",
  inputs: [port("main")],
  outputs: [port("main")],
  params: [{ name: "url" }],
  asTool: {
    id: "n8n-nodes-base.httpRequestTool",
    name: "HTTP Request Tool",
    outputs: [port("ai_tool")],
    params: [{ name: "toolDescription" }],
  },
} as unknown as NodeType;

test("an ordinary type is also found in the form in which a model calls it", () => {
  const catalogue = new Catalogue([request]);
  const tool = catalogue.find("n8n-nodes-base.httpRequestTool", 4.2);
  expect(tool).toMatchObject({ name: "HTTP Request Tool", group: "tool", inputs: [] });
  expect(tool?.outputs.map((one) => one.kind)).toEqual(["ai_tool"]);
  expect(tool?.params.map((param) => param.name)).toEqual(["toolDescription", "url"]);
  expect(catalogue.find("n8n-nodes-base.httpRequestTool", 9)).toBeUndefined();
});

test("only what the server says is a tool, and it is no type of its own", () => {
  const { asTool: _, ...plain } = request;
  expect(new Catalogue([plain]).find("n8n-nodes-base.httpRequestTool")).toBeUndefined();
  const catalogue = new Catalogue([request]);
  expect(catalogue.types().map((type) => type.id)).toEqual(["n8n-nodes-base.httpRequest"]);
  expect(catalogue.tools).toHaveLength(1);
});
