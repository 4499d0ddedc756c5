import { describe, expect, test } from "vitest";
import { emptyDocument, type WorkflowDocument } from "../api/workflowDocument";
import { connect } from "./edges";
import { buildSubworkflow, ExtractError, findParts, replaceByCall } from "./extractSubworkflow";
import { node, types } from "./testSpecs";

const main = (from: string, to: string) => ({ kind: "main", from, output: 0, to, input: 0 });
const chain: WorkflowDocument = [main("Webhook", "A"), main("A", "B"), main("B", "End")].reduce(
  connect,
  {
    ...emptyDocument(),
    nodes: [
      node("Webhook", "webhook"),
      node("A", "set", {}, [200, 0]),
      node("B", "code", { jsCode: "return $('A').all()" }, [400, 0]),
      node("End", "set", { text: "={{ $('B').item.json.n }}" }, [600, 0]),
    ],
    pinData: { A: [{ json: { n: 1 } }] },
  },
);

describe("moving nodes into a workflow of their own", () => {
  const parts = findParts(chain, types, ["A", "B"]);

  test("the new workflow begins with a trigger for calls and has the nodes, their pins and connections", () => {
    const made = buildSubworkflow(chain, types, parts, "Two steps");
    expect(made.nodes.map((one) => one.name)).toEqual(["When called", "A", "B"]);
    expect(made.nodes[0]?.type).toBe("n8n-nodes-base.executeWorkflowTrigger");
    expect(made.connections["When called"]?.main?.[0]?.[0]?.node).toBe("A");
    expect(made.connections.A?.main?.[0]?.[0]?.node).toBe("B");
    expect(made.connections.B).toBeUndefined();
    expect(made.pinData).toEqual({ A: [{ json: { n: 1 } }] });
  });

  test("a call takes their place, and what read the last of them reads the call", () => {
    const { document, name } = replaceByCall(chain, types, parts, { id: "w2", name: "Two steps" });
    expect(document.nodes.map((one) => one.name)).toEqual(["Webhook", "End", name]);
    expect(document.connections.Webhook?.main?.[0]?.[0]?.node).toBe(name);
    expect(document.connections[name]?.main?.[0]?.[0]?.node).toBe("End");
    expect(document.nodes[2]).toMatchObject({
      position: [200, 0],
      parameters: { workflowId: { value: "w2" } },
    });
    expect(document.nodes[1]?.parameters.text).toBe(`={{ $('${name}').item.json.n }}`);
    expect(document.pinData).toEqual({});
  });

  const reason = (document: WorkflowDocument, names: string[]) => {
    try {
      findParts(document, types, names);
    } catch (error) {
      if (error instanceof ExtractError) return error.message;
      throw error;
    }
    return null;
  };

  test("what cannot be cut out is refused with its reason", () => {
    expect(reason(chain, [])).toMatch(/Select the nodes/);
    expect(reason(chain, ["Webhook", "A"])).toMatch(/“Webhook” is a trigger/);
    expect(reason(chain, ["B"])).toMatch(/“B” reads “A”/);
    const forked = connect(chain, main("A", "End"));
    expect(reason(forked, ["A", "B"])).toMatch(/leave the selection at “B” and “A”|“A” and “B”/);
    const twice = connect(chain, main("Webhook", "B"));
    expect(reason(twice, ["A", "B"])).toMatch(/one way in/);
  });

  test("a tool goes along with its agent, unless another one uses it as well", () => {
    const tool = (to: string) => ({ kind: "ai_tool", from: "Calc", output: 0, to, input: 0 });
    const agents = [main("Webhook", "One"), main("One", "Two"), tool("One")].reduce(connect, {
      ...emptyDocument(),
      nodes: [
        node("Webhook", "webhook"),
        node("One", "agent"),
        node("Two", "agent"),
        node("Calc", "calculator"),
      ],
    });
    expect([...findParts(agents, types, ["One"]).names]).toEqual(["One", "Calc"]);
    expect(reason(connect(agents, tool("Two")), ["One"])).toMatch(/“Calc” also serves “Two”/);
  });
});
