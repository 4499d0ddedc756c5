/** The workflow document as the editor holds it: n8n's JSON shape, with every field it does not know kept as it came. */

/** A credential as a node names it. */
export interface CredentialReference {
  id?: string | null;
  name: string;
}

/** One step of a workflow. Nodes refer to each other by `name`, which is unique within a document. */
export interface WorkflowNode {
  id?: string;
  name: string;
  type: string;
  typeVersion: number;
  position: readonly [number, number];
  parameters: Record<string, unknown>;
  credentials?: Record<string, CredentialReference>;
  disabled?: boolean;
  onError?: "stopWorkflow" | "continueRegularOutput" | "continueErrorOutput";
  continueOnFail?: boolean;
  retryOnFail?: boolean;
  maxTries?: number;
  waitBetweenTries?: number;
  executeOnce?: boolean;
  alwaysOutputData?: boolean;
  /** Ours: n8n keeps it and does not look at it. */
  safeToRepeat?: boolean;
  notes?: string;
  notesInFlow?: boolean;
  webhookId?: string;
  [key: string]: unknown;
}

/** Where a connection ends. */
export interface Target {
  node: string;
  type: string;
  index: number;
}

/** From a node's name, by kind and output number, to the inputs that are fed. */
export type Connections = Record<string, Record<string, ReadonlyArray<readonly Target[] | null>>>;

/** An item of data as pins and runs hold it. */
export interface PinnedItem {
  json: Record<string, unknown>;
  binary?: Record<string, unknown>;
  pairedItem?: unknown;
  [key: string]: unknown;
}

export interface WorkflowTag {
  id: string;
  name: string;
}

/** A workflow with what the server says about it. */
export interface WorkflowDocument {
  id?: string;
  name: string;
  nodes: readonly WorkflowNode[];
  connections: Connections;
  settings?: Record<string, unknown>;
  pinData?: Record<string, readonly PinnedItem[]> | null;
  staticData?: unknown;
  meta?: Record<string, unknown> | null;
  active?: boolean;
  isArchived?: boolean;
  versionId?: string;
  activeVersionId?: string | null;
  tags?: readonly WorkflowTag[];
  createdAt?: string;
  updatedAt?: string;
  [key: string]: unknown;
}

/** A connection as one thing, with both ends. */
export interface Edge {
  kind: string;
  from: string;
  output: number;
  to: string;
  input: number;
}

/** A document with nothing in it. */
export function emptyDocument(name = "My workflow"): WorkflowDocument {
  return { name, nodes: [], connections: {}, settings: { executionOrder: "v1" }, pinData: {} };
}
