/** What is known of a node that is not supported, filled into the parameters of one that can do its work. */
import type { WorkflowNode } from "../api/workflowDocument";

/** What a credential type says about the service behind it. */
export interface KnownService {
  /** The type of the credential. */
  credential: string;
  /** Where it is sent; empty if a field of the credential decides that. */
  baseUrl: string;
}

/** The parameters of the stand-in; those of which nothing is known are left out. */
export function fillStandIn(
  template: Readonly<Record<string, unknown>>,
  node: WorkflowNode,
  service: KnownService | null,
): Record<string, unknown> {
  const known: Record<string, unknown> = { ...node.parameters, ...service };
  const filled = Object.entries(template).map(([name, places]) => [
    name,
    typeof places === "string" ? firstFilled(places, known) : places,
  ]);
  return Object.fromEntries(filled.filter(([, value]) => value !== undefined));
}

const PLACE = /^\{([^=}]+)(?:=([^}]*))?\}$/;

function firstFilled(places: string, known: Record<string, unknown>): unknown {
  for (const alternative of places.split(" | ")) {
    const [, name, text] = PLACE.exec(alternative) ?? [];
    if (name === undefined) return alternative;
    const value = known[name];
    if (typeof value === "string" && value !== "") return text ?? value;
  }
  return undefined;
}

/** The service that a node calls: by the credential it names, or by a credential type whose name begins like its own. */
export function findService(
  node: WorkflowNode,
  types: readonly { id: string; baseUrl: string }[],
): KnownService | null {
  const named = Object.keys(node.credentials ?? {});
  const short = (node.type.split(".").pop() ?? "").replace(/(Tool|Trigger)$/, "").toLowerCase();
  const found =
    types.find((type) => named.includes(type.id)) ??
    types.find((type) => short !== "" && serviceOf(type.id) === short);
  if (found) return { credential: found.id, baseUrl: found.baseUrl };
  return named[0] ? { credential: named[0], baseUrl: "" } : null;
}

/** `airtable` of `airtableTokenApi`. */
function serviceOf(credential: string): string {
  return credential.replace(/(Token|OAuth2|PersonalAccessToken)*Api$/, "").toLowerCase();
}

/** A line about what the node did, for the notes of the one that replaces it. */
export function describeReplaced(node: WorkflowNode): string {
  const parts = ["resource", "operation"].flatMap((name) => {
    const value = node.parameters[name];
    return typeof value === "string" && value !== "" ? `${name} ${value}` : [];
  });
  return `Replaces ${node.type}${parts.length > 0 ? `: ${parts.join(", ")}` : ""}`;
}
