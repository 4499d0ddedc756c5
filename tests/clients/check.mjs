// What the scripts that drive clients share: checks that count, and a report that fails on the first difference.

let passed = 0;

/** Fails unless a claim holds, and shows what was seen instead. */
export function check(claim, holds, seen) {
  if (!holds) {
    console.error(`FAILED  ${claim}\n${typeof seen === "string" ? seen : JSON.stringify(seen, null, 1)}`);
    process.exit(1);
  }
  passed += 1;
}

export function done(client) {
  console.log(`${client}: ${passed} checks passed`);
  process.exit(0);
}

/** A workflow that a call of `/webhook/PATH` starts. */
export function webhookWorkflow(name, path) {
  return {
    name,
    nodes: [
      {
        id: "11111111-1111-4111-8111-111111111111",
        name: "Webhook",
        type: "n8n-nodes-base.webhook",
        typeVersion: 2,
        position: [0, 0],
        webhookId: "22222222-2222-4222-8222-222222222222",
        parameters: { httpMethod: "POST", path, responseMode: "lastNode", options: {} },
      },
      {
        id: "33333333-3333-4333-8333-333333333333",
        name: "Edit Fields",
        type: "n8n-nodes-base.set",
        typeVersion: 3.4,
        position: [220, 0],
        parameters: {
          mode: "manual",
          assignments: { assignments: [{ id: "a", name: "doubled", value: "={{ $json.body.n * 2 }}", type: "number" }] },
          options: {},
        },
      },
    ],
    connections: { Webhook: { main: [[{ node: "Edit Fields", type: "main", index: 0 }]] } },
    settings: { executionOrder: "v1" },
  };
}

export const url = process.env.HEDDLE_URL;
export const key = process.env.HEDDLE_KEY;
