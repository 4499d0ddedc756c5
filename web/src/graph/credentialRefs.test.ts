import { expect, test } from "vitest";
import type { WorkflowNode } from "../api/workflowDocument";
import { hasCredentialIds, withKnownCredentials } from "./credentialRefs";

const node = (credentials?: WorkflowNode["credentials"]) =>
  ({
    id: "1",
    name: "A",
    type: "t",
    typeVersion: 1,
    position: [0, 0],
    parameters: {},
    ...(credentials && { credentials }),
  }) as WorkflowNode;
const known = [{ id: "7", name: "Mail", type: "smtp" }];

test("issue_14_07 an id alone gives no credential to a workflow from elsewhere", () => {
  const settled = (credentials: WorkflowNode["credentials"]) =>
    withKnownCredentials([node(credentials)], known)[0]?.credentials;
  expect(settled({ smtp: { id: "7", name: "Mail" } })).toEqual({ smtp: { id: "7", name: "Mail" } });
  expect(settled({ smtp: { id: "7", name: "Anything" } })).toEqual({
    smtp: { id: null, name: "Anything" },
  });
  expect(settled({ smtp: { id: "8", name: "Mail" } })).toEqual({
    smtp: { id: null, name: "Mail" },
  });
  expect(settled({ imap: { id: "7", name: "Mail" } })).toEqual({
    imap: { id: null, name: "Mail" },
  });
});

test("nodes without credentials stay as they are", () => {
  const bare = node();
  expect(withKnownCredentials([bare], known)[0]).toBe(bare);
  expect(hasCredentialIds([bare, node({ smtp: { id: null, name: "Mail" } })])).toBe(false);
  expect(hasCredentialIds([node({ smtp: { id: "7", name: "Mail" } })])).toBe(true);
});
