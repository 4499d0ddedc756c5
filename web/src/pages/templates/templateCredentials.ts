/** Credentials that a template can take at once: the only one of each kind that its nodes ask for. */
import type { Catalogue } from "../../api/catalogue";
import type { WorkflowDocument } from "../../api/workflowDocument";
import type { Credential } from "../../credentials/credentialApi";
import { requiredCredentials } from "../../fields/requiredCredentials";
import type { JsonObject } from "../../graph/json";
import { withDefaults } from "../../graph/visibleParams";

/** A credential, and the nodes that would use it. */
export interface CredentialOffer {
  credential: Credential;
  nodes: string[];
}

export function offerCredentials(
  document: WorkflowDocument,
  catalogue: Pick<Catalogue, "find">,
  credentials: readonly Credential[],
): CredentialOffer[] {
  const offers = new Map<string, CredentialOffer>();
  for (const node of document.nodes) {
    const type = catalogue.find(node.type, node.typeVersion);
    if (!type) continue;
    const place = { version: node.typeVersion };
    const values = withDefaults(type.params, node.parameters as JsonObject, place);
    for (const { kind, required } of requiredCredentials(type, values, node.typeVersion)) {
      const [only, ...others] = credentials.filter((one) => one.type === kind);
      // Between several nobody but the author can choose.
      if (!required || !only || others.length > 0) continue;
      const offer = offers.get(only.id) ?? { credential: only, nodes: [] };
      offer.nodes.push(node.name);
      offers.set(only.id, offer);
    }
  }
  return [...offers.values()];
}

/** The document with the credentials in the nodes that they were offered for. */
export function withCredentials(
  document: WorkflowDocument,
  offers: readonly CredentialOffer[],
): WorkflowDocument {
  const nodes = document.nodes.map((node) => {
    const taken = offers.filter((offer) => offer.nodes.includes(node.name));
    if (taken.length === 0) return node;
    const chosen = taken.map(({ credential: { id, name, type } }) => [type, { id, name }]);
    return { ...node, credentials: { ...node.credentials, ...Object.fromEntries(chosen) } };
  });
  return { ...document, nodes };
}
