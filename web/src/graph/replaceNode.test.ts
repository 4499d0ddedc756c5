import { expect, test } from "vitest";
import { emptyDocument } from "../api/workflowDocument";
import { connect } from "./edges";
import { canReplace, neededPorts, replaceNode } from "./replaceNode";
import { fillStandIn, findService } from "./standIn";
import { node, SPECS, spec, types } from "./testSpecs";

const main = (from: string, to: string) => ({ kind: "main", from, output: 0, to, input: 0 });
const airtable = {
  ...node("Find rows", "airtable", { resource: "record", operation: "search" }, [200, 96]),
  credentials: { airtableTokenApi: { id: null, name: "Ada's" } },
  retryOnFail: true,
};
const document = [main("Webhook", "Find rows"), main("Find rows", "End")].reduce(connect, {
  ...emptyDocument(),
  nodes: [node("Webhook", "webhook"), airtable, node("End", "set")],
});
const STAND_IN = {
  url: "{url} | {baseUrl}",
  authentication: "{credential=predefinedCredentialType}",
  nodeCredentialType: "{credential}",
};
const service = { id: "airtableTokenApi", baseUrl: "https://api.airtable.com/v0" };

test("a node that is replaced keeps its name, place, settings, connections and credential", () => {
  const request = spec("HTTP Request");
  const known = fillStandIn(STAND_IN, airtable, findService(airtable, [service]));
  const after = replaceNode(document, types, "Find rows", request, known);
  expect(after.connections).toEqual(document.connections);
  expect(after.nodes[1]).toMatchObject({
    name: "Find rows",
    type: "n8n-nodes-base.httpRequest",
    position: [200, 96],
    retryOnFail: true,
    credentials: { airtableTokenApi: { name: "Ada's" } },
    parameters: {
      url: "https://api.airtable.com/v0",
      authentication: "predefinedCredentialType",
      nodeCredentialType: "airtableTokenApi",
    },
    notes: "Replaces n8n-nodes-base.airtable: resource record, operation search",
  });
});

test("what a stand-in knows nothing of is left out, and what the node said itself comes first", () => {
  expect(fillStandIn(STAND_IN, node("X", "x"), null)).toEqual({});
  const own = node("X", "x", { url: "https://example.com" });
  expect(fillStandIn(STAND_IN, own, { credential: "xApi", baseUrl: "https://x.example" }).url).toBe(
    "https://example.com",
  );
});

test("without a credential the service is known by the name of the type", () => {
  expect(findService(node("X", "airtable"), [service])?.credential).toBe("airtableTokenApi");
  expect(findService(node("X", "airtableTrigger"), [service])?.baseUrl).toBe(service.baseUrl);
  expect(findService(node("X", "air"), [service])).toBeNull();
});

test("only types with the ports that are connected can take the place", () => {
  const needed = neededPorts(document, types, "Find rows");
  const names = SPECS.filter((one) => canReplace(one, needed)).map((one) => one.name);
  expect(names).toContain("HTTP Request");
  expect(names).not.toContain("Webhook");
  expect(names).not.toContain("Calculator");
});

test("only a trigger takes the place of a trigger", () => {
  const foreign = {
    ...emptyDocument(),
    nodes: [node("On mail", "gmailTrigger"), node("Lost", "airtable")],
  };
  const fitting = (name: string) =>
    SPECS.filter((one) => canReplace(one, neededPorts(foreign, types, name))).map(
      (one) => one.name,
    );
  expect(fitting("On mail")).toEqual(["Schedule Trigger", "Webhook", "Cron"]);
  expect(fitting("Lost")).not.toContain("Webhook");
});

test("a connection of a kind that the new node lacks is removed", () => {
  const after = replaceNode(document, types, "Find rows", spec("Webhook", { inputs: [] }));
  expect(after.connections.Webhook).toBeUndefined();
  expect(after.connections["Find rows"]).toBeDefined();
});
