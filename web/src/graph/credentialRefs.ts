/** References to credentials in workflows that come from elsewhere. Ids are easy to guess, so that one alone says nothing. */
import type { WorkflowNode } from "../api/workflowDocument";

interface KnownCredential {
  id: string;
  name: string;
  type: string;
}

/** Whether any of the nodes names a credential by its id. */
export function hasCredentialIds(nodes: readonly WorkflowNode[]): boolean {
  return nodes.some((node) =>
    Object.values(node.credentials ?? {}).some((reference) => Boolean(reference?.id)),
  );
}

/**
 * The nodes with those credentials that are known here under the same id, name and type. Of the others only the name stays, for the
 * person who chooses one.
 */
export function withKnownCredentials<N extends WorkflowNode>(
  nodes: readonly N[],
  known: readonly KnownCredential[],
): N[] {
  return nodes.map((node) => {
    if (!node.credentials) return node;
    const settled = Object.entries(node.credentials).map(([type, reference]) => {
      const { id, name } = reference ?? {};
      const isKnown = known.some((one) => one.id === id && one.name === name && one.type === type);
      return [type, isKnown ? reference : { id: null, name: name ?? "" }];
    });
    return { ...node, credentials: Object.fromEntries(settled) };
  });
}
