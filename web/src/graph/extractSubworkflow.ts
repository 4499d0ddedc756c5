/**
 * Moves some nodes of a workflow into one of their own, which the workflow then calls. The nodes must have one way in and at most one way
 * out, because a call has no more, and no expression may reach over the border.
 */
import type { Edge, WorkflowDocument, WorkflowNode } from "../api/workflowDocument";
import { addNode, findNode, removeNodes, STICKY_NOTE, withSubNodes } from "./document";
import { documentPorts } from "./documentPorts";
import { connect, edgesOf, MAIN } from "./edges";
import { copyFragment } from "./fragment";
import { NODE_SIZE } from "./geometry";
import { NODE_GAP } from "./insertNode";
import { newId, uniqueName } from "./nodeNames";
import { referencedNodes, renameInValue } from "./renameReferences";
import type { TypeLookup } from "./typeSpec";

const CALLED_TRIGGER = "n8n-nodes-base.executeWorkflowTrigger";
const CALLER = "n8n-nodes-base.executeWorkflow";
const TRIGGER_NAME = "When called";

export interface SubworkflowParts {
  /** The nodes that move, sub-nodes included. */
  names: ReadonlySet<string>;
  /** The node that gets what the workflow is called with. */
  entry: string;
  entering: readonly Edge[];
  leaving: readonly Edge[];
}

/** Why these nodes cannot become a workflow, in words for the person who chose them. */
export class ExtractError extends Error {}

/** What moves and where it is cut off. */
export function findParts(
  document: WorkflowDocument,
  types: TypeLookup,
  chosen: Iterable<string>,
): SubworkflowParts {
  const names = withSubNodes(document, new Set(chosen));
  const nodes = document.nodes.filter((node) => names.has(node.name));
  const steps = nodes.filter((node) => node.type !== STICKY_NOTE);
  if (steps.length === 0) throw new ExtractError("Select the nodes to move first.");
  const ports = documentPorts(document, types);
  const trigger = steps.find((node) => ports.get(node.name)?.shape === "trigger");
  if (trigger) throw new ExtractError(`“${trigger.name}” is a trigger and must stay. Deselect it.`);
  const crossing = edgesOf(document).filter((edge) => names.has(edge.from) !== names.has(edge.to));
  const shared = crossing.find((edge) => edge.kind !== MAIN);
  if (shared)
    throw new ExtractError(
      `“${shared.from}” also serves “${shared.to}”. Select both, or give each its own.`,
    );
  const entering = crossing.filter((edge) => names.has(edge.to));
  const leaving = crossing.filter((edge) => names.has(edge.from));
  const [entry, ...entries] = new Set(entering.map((edge) => edge.to));
  if (!entry)
    throw new ExtractError("The selected nodes get no items from the rest of the workflow.");
  if (entries.length > 0 || entering.some((edge) => edge.input !== 0))
    throw new ExtractError(
      `Items enter the selection at ${quoted([entry, ...entries])}. Select nodes with one way in.`,
    );
  const exits = new Set(leaving.map((edge) => `${edge.from} ${edge.output}`));
  if (exits.size > 1)
    throw new ExtractError(
      `Items leave the selection at ${quoted([...new Set(leaving.map((edge) => edge.from))])}. Select nodes with one way out.`,
    );
  checkReferences(document, names, leaving[0]?.from);
  return { names, entry, entering, leaving };
}

/** An expression reads only nodes of its own workflow. Outside, the last node that moves is read from the call instead. */
function checkReferences(
  document: WorkflowDocument,
  names: ReadonlySet<string>,
  last: string | undefined,
) {
  for (const node of document.nodes) {
    const isInside = names.has(node.name);
    for (const other of referencedNodes(node.parameters)) {
      if (!findNode(document, other) || names.has(other) === isInside) continue;
      if (isInside)
        throw new ExtractError(
          `“${node.name}” reads “${other}”, which is outside of the selection. Select it too, or pass the value on with the items.`,
        );
      if (other !== last)
        throw new ExtractError(
          `“${node.name}” reads “${other}”, which would move away. Select “${node.name}” too, or leave “${other}” out.`,
        );
    }
  }
}

/** The new workflow: a trigger for calls, then the nodes as they were. */
export function buildSubworkflow(
  document: WorkflowDocument,
  types: TypeLookup,
  { names, entry }: SubworkflowParts,
  name: string,
): WorkflowDocument {
  const fragment = copyFragment(document, names);
  const first = findNode(document, entry);
  const [x, y] = first?.position ?? [0, 0];
  const called = uniqueName({ ...document, nodes: fragment.nodes }, TRIGGER_NAME);
  const trigger: WorkflowNode = {
    parameters: { inputSource: "passthrough" },
    id: newId(),
    name: called,
    type: CALLED_TRIGGER,
    typeVersion: newestVersion(types, CALLED_TRIGGER),
    position: [x - NODE_SIZE - NODE_GAP, y],
  };
  const made: WorkflowDocument = {
    name,
    nodes: [trigger, ...fragment.nodes],
    connections: fragment.connections,
    pinData: fragment.pinData ?? {},
    settings: document.settings ?? {},
  };
  return connect(made, { kind: MAIN, from: called, output: 0, to: entry, input: 0 });
}

/** The workflow with a call in the place of the nodes that moved. */
export function replaceByCall(
  document: WorkflowDocument,
  types: TypeLookup,
  { names, entry, entering, leaving }: SubworkflowParts,
  called: { id: string; name: string },
): { document: WorkflowDocument; name: string } {
  const position = findNode(document, entry)?.position ?? [0, 0];
  const rest = removeNodes(document, names);
  const caller = uniqueName(rest, `Call ${called.name}`);
  let result = addNode(rest, {
    parameters: {
      workflowId: {
        __rl: true,
        mode: "list",
        value: called.id,
        cachedResultName: called.name,
      },
      options: {},
    },
    id: newId(),
    name: caller,
    type: CALLER,
    typeVersion: newestVersion(types, CALLER),
    position,
  });
  for (const edge of entering) result = connect(result, { ...edge, to: caller, input: 0 });
  for (const edge of leaving) result = connect(result, { ...edge, from: caller, output: 0 });
  const last = leaving[0]?.from;
  return { document: last ? readFrom(result, last, caller) : result, name: caller };
}

function readFrom(document: WorkflowDocument, last: string, caller: string): WorkflowDocument {
  const names = new Map([[last, caller]]);
  const nodes = document.nodes.map((node) => {
    const parameters = renameInValue(node.parameters, names);
    return parameters === node.parameters ? node : { ...node, parameters };
  });
  return { ...document, nodes };
}

function newestVersion(types: TypeLookup, type: string): number {
  return Math.max(1, ...(types.find(type)?.versions ?? []));
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `“${name}”`).join(" and ");
}
