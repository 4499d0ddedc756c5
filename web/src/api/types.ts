// What the API gives and takes, in n8n's shapes.

export interface WorkflowNode {
  id: string;
  name: string;
  type: string;
  typeVersion: number;
  position: [number, number];
  parameters: Record<string, unknown>;
  credentials?: Record<string, { id: string | null; name: string }>;
  disabled?: boolean;
  notes?: string;
  notesInFlow?: boolean;
  onError?: "stopWorkflow" | "continueRegularOutput" | "continueErrorOutput";
  continueOnFail?: boolean;
  retryOnFail?: boolean;
  maxTries?: number;
  waitBetweenTries?: number;
  alwaysOutputData?: boolean;
  executeOnce?: boolean;
  webhookId?: string;
  [unknown: string]: unknown;
}

export interface ConnectionEnd {
  node: string;
  type: string;
  index: number;
}

/** By source node, then kind of connection, then output: where each leads. */
export type Connections = Record<string, Record<string, (ConnectionEnd[] | null)[]>>;

export interface Item {
  json: Record<string, unknown>;
  binary?: Record<string, BinaryData>;
  pairedItem?: unknown;
  error?: unknown;
}

export interface BinaryData {
  fileName?: string;
  mimeType: string;
  fileSize?: string | number;
  fileExtension?: string;
  url?: string;
  data?: string;
}

export interface WorkflowSettings {
  [name: string]: unknown;
}

/** A workflow as it is drawn and saved. */
export interface WorkflowDocument {
  id?: string;
  name: string;
  nodes: WorkflowNode[];
  connections: Connections;
  settings?: WorkflowSettings;
  pinData?: Record<string, Item[]>;
  staticData?: unknown;
  meta?: unknown;
  active?: boolean;
  versionId?: string;
  tags?: Tag[];
  [unknown: string]: unknown;
}

/** A workflow of the list. */
export interface Workflow extends WorkflowDocument {
  id: string;
  active: boolean;
  isArchived?: boolean;
  createdAt: string;
  updatedAt: string;
  parentFolderId?: string | null;
}

export interface Tag {
  id: string;
  name: string;
}

export type ExecutionStatus =
  | "new"
  | "running"
  | "success"
  | "error"
  | "crashed"
  | "waiting"
  | "canceled"
  | "uncertain"
  | "unknown";

export interface Execution {
  id: string | number;
  workflowId: string;
  workflowName?: string;
  status: ExecutionStatus;
  mode: string;
  finished: boolean;
  startedAt: string;
  stoppedAt: string | null;
  waitTill?: string | null;
  retryOf?: string | null;
}

export interface RunError {
  code?: string;
  message: string;
  description?: string;
  hint?: string;
  node?: string | { name: string };
  [unknown: string]: unknown;
}

export interface Problem {
  severity: "error" | "warning" | "info";
  code: string;
  message: string;
  hint?: string;
  node?: string;
  parameter?: string;
}

export interface Credential {
  id: string;
  name: string;
  type: string;
  createdAt: string;
  updatedAt: string;
}

export interface ListPage<T> {
  data: T[];
  nextCursor: string | null;
}
