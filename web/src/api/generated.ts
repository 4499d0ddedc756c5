// What the API takes and gives. Generated from the server's types (crates/server/src/wire) by `cargo xtask types`; do not edit.
// biome-ignore-all format: generated
// biome-ignore-all lint: generated

export interface Activation {
  versionId?: string;
  name?: string;
  description?: string;
}

/** What a person was asked about a call, and what they decided. */
export interface AgentApproval {
  call: string;
  digest: string;
  askedMs: number;
  untilMs: number;
  decision: "approved" | "rejected" | "expired" | null;
  reason: string | null;
  by: string | null;
  decidedMs: number | null;
  waitedMs: number | null;
  /** In the list of all approvals of a step; elsewhere the call itself says it. */
  tool?: string;
  arguments?: unknown;
}

/** One question to the model, and the tools that it called. */
export interface AgentIteration {
  index: number;
  item: number;
  model: string;
  startedMs: number | null;
  durationMs: number | null;
  message: unknown;
  toolCalls: AgentToolCall[];
  tokens: {
    input?: number;
    cached?: number;
    output?: number;
    reasoning?: number;
  };
  dollars: number | null;
  confidence?: number;
  action?: "tool" | "final";
}

export interface AgentToolCall {
  id: string;
  name: string;
  arguments: unknown;
  /** A call that was refused has no result. */
  result?: unknown;
  isError?: boolean;
  durationMs?: number;
  approval?: AgentApproval;
}

export interface AnswerSource {
  type: "document" | "memory" | "tool" | "mcp";
  item: number;
  /** The tool that brought it, unless the memory did before the first call. */
  tool?: string;
  callId?: string;
  iteration?: number;
  /** The answer repeats figures or words of it. */
  isQuoted?: boolean;
  /** The MCP server. */
  server?: string;
  /** Of a document or an entry of memory. */
  id?: string;
  title?: string;
  source?: string;
  page?: number;
  score?: number;
  text?: string;
}

export interface ApiDescription {
  title: string;
  version: string;
  servers: DescribedServer[];
  security: DescribedSecurity[];
  /** Those that the search has found; none if an operation was chosen. */
  operations: DescribedOperation[];
  /** How many there are altogether. */
  total: number;
  /** What could not be used. */
  findings: DescriptionFinding[];
  request?: DescribedRequest;
}

export interface ApiDescriptionInput {
  /** An OpenAPI 3 or Swagger 2 document, as JSON or YAML. Either this or `url` is needed. */
  document?: string;
  /** Where the document is fetched. */
  url?: string;
  /** The id of the operation that becomes a request. Without it, the operations are listed. */
  operation?: string;
  /** Values that are known already, by the names of parameters: those of a node that is replaced. */
  values?: Record<string, unknown>;
  /** The type of the credential that the node has been using. */
  credential?: string;
  /** The request is a tool, whose open values a model gives. */
  isTool?: boolean;
}

export interface ApiKey {
  id: string;
  label: string;
  /** All but its last characters hidden. */
  apiKey: string;
  scopes: string[];
  createdAt: string;
  expiresAt: string | null;
}

export interface ApiKeyInput {
  label: string;
  /** What the key may do; everything that its owner may if absent. */
  scopes?: string[];
  /** When it ends, as a time or in seconds since 1970; never if `null` or absent. */
  expiresAt?: string | number | null;
}

/** A tool call that waits for a person's decision. */
export interface Approval {
  executionId: string;
  workflowId: string;
  workflowName: string | null;
  node: string;
  call: string;
  tool: string;
  arguments: unknown;
  digest: string;
  askedAt: string;
  untilAt: string;
}

export interface ApprovalInput {
  call: string;
  digest: string;
  decision: "approve" | "reject";
  reason?: string | null;
}

/** A page of a list, and where the next one begins. */
export interface ApprovalList {
  data: Approval[];
  nextCursor: string | null;
}

/** The reports by their titles; an empty list if there is nothing to report. */
export type Audit = Record<string, {
  risk: string;
  sections: (Record<string, unknown>)[];
}> | unknown[];

export interface AuditInput {
  additionalOptions?: {
    /** Known to n8n; it is taken and not used. */
    daysAbandonedWorkflow?: number;
    categories?: ("credentials" | "database" | "nodes" | "filesystem" | "instance")[];
  };
}

export interface ClientErrorInput {
  message: string;
  stack?: string;
  page?: string;
  part?: string;
  build?: string;
}

export interface Collection {
  id: string;
  name: string;
  description: string;
  projectId: string;
  embeddingModel: string | null;
  dimensions: number | null;
  credentialId: string | null;
  chunkCount: number;
  sizeBytes: number;
  createdAt: string;
  updatedAt: string;
}

export interface CollectionAdded {
  source: string;
  chunks: number;
}

export interface CollectionChange {
  name?: string;
  description?: string;
  credentialId?: string;
}

export interface CollectionChunk {
  id: string;
  source: string;
  content: string;
  metadata: Record<string, unknown>;
  createdAt: string;
}

/** A page of a list, and where the next one begins. */
export interface CollectionChunkList {
  data: CollectionChunk[];
  nextCursor: string | null;
}

export interface CollectionDeleted {
  deletedCount: number;
}

export interface CollectionFound {
  results: ({
    id: string;
    content: string;
    score: number;
    metadata: Record<string, unknown>;
  })[];
}

export interface CollectionInput {
  name: string;
  description?: string;
  projectId?: string;
  embeddingModel?: string;
  credentialId?: string;
}

/** A page of a list, and where the next one begins. */
export interface CollectionList {
  data: Collection[];
  nextCursor: string | null;
}

export interface CollectionQuestion {
  query: string;
  limit?: number;
  minScore?: number;
  hybrid?: boolean;
  metadata?: Record<string, unknown>;
}

/** Where chunks come from. */
export interface CollectionSource {
  name: string;
  chunkCount: number;
  createdAt: string;
}

/** A page of a list, and where the next one begins. */
export interface CollectionSourceList {
  data: CollectionSource[];
  nextCursor: string | null;
}

export interface CollectionText {
  text: string;
  source?: string;
  metadata?: Record<string, unknown>;
}

/** A tool as a model is offered it. */
export interface ConnectedTool {
  name: string;
  description: string;
  /** The JSON Schema of its arguments. */
  parameters: unknown;
}

export interface ConnectedToolList {
  data: ConnectedToolNode[];
}

/** What one connected node brings, or why that cannot be told without a run. */
export interface ConnectedToolNode {
  node: string;
  tools: ConnectedTool[];
  error?: RunError;
}

export interface ConnectedToolsInput {
  workflow: DrawnWorkflow;
  workflowId?: string;
  node: string;
}

export interface Credential {
  id: string;
  name: string;
  type: string;
  isManaged: boolean;
  projectId: string;
  /** The further projects that may use it, for those who may change that. */
  sharedWith?: string[];
  createdAt: string;
  updatedAt: string;
}

export interface CredentialChange {
  name?: string;
  type?: string;
  data?: Record<string, unknown>;
  isPartialData?: boolean;
  /** Known to n8n; it is taken and not used. */
  isGlobal?: boolean;
  /** Known to n8n; it is taken and not used. */
  isResolvable?: boolean;
}

export interface CredentialInput {
  name: string;
  type: string;
  data: Record<string, unknown>;
  projectId?: string;
  /** Known to n8n; it is taken and not used. */
  isResolvable?: boolean;
}

/** A page of a list, and where the next one begins. */
export interface CredentialList {
  data: Credential[];
  nextCursor: string | null;
}

export interface CredentialModels {
  data: string[];
  message: string | null;
}

export interface CredentialTest {
  status: "OK" | "Error";
  message: string;
}

export interface CredentialType {
  id: string;
  /** Other names that workflows use for the type. */
  aliases: string[];
  name: string;
  group: string;
  fields: CredentialTypeField[];
  allowsOtherFields: boolean;
  /** Where a key is created; empty if that is not known. */
  helpUrl: string;
  /** Where its requests go; empty if a field of the credential decides that. */
  baseUrl: string;
  /** OAuth2 types whose names begin like this belong to the same service. */
  prefixes: string[];
}

export interface CredentialTypeField {
  name: string;
  label: string;
  kind: "text" | "longText" | "json" | "flag" | "number" | "choice" | "hidden";
  role: "secret" | "plain" | "destination";
  required: boolean;
  /** Few people need it; it is hidden at first. */
  advanced: boolean;
  hint: string;
  placeholder: string;
  options: string[];
}

export type CredentialTypes = CredentialType[];

export interface DataTable {
  id: string;
  name: string;
  columns: DataTableColumn[];
  projectId: string;
  createdAt: string;
  updatedAt: string;
  rowCount: number;
  sizeBytes: number;
}

export interface DataTableChange {
  filter: DataTableFilter;
  data: Record<string, unknown>;
  returnData?: boolean;
  dryRun?: boolean;
}

/** That it is done, or the rows: as they are now, or for a dry run as they were and would be. */
export type DataTableChanged = boolean | DataTableRow[] | ({
  /** `null` for a row that would be added. */
  id: number | null;
  dryRunState: "before" | "after";
  [other: string]: unknown;
})[];

export interface DataTableCleared {
  deletedCount: number;
}

export interface DataTableColumn {
  id: string;
  name: string;
  type: "string" | "number" | "boolean" | "date";
  index: number;
}

export interface DataTableColumnChange {
  name?: string;
  index?: number;
}

export interface DataTableColumnInput {
  name: string;
  type: "string" | "number" | "boolean" | "date";
  index?: number;
}

export type DataTableColumns = DataTableColumn[];

export interface DataTableFilter {
  type?: "and" | "or";
  filters: ({
    columnName: string;
    condition?: "eq" | "neq" | "like" | "ilike" | "gt" | "gte" | "lt" | "lte";
    /** `null` to match empty cells. */
    value: unknown;
    /** Known to n8n; columns do not contain objects, so there is no path in them. */
    path?: unknown;
  })[];
}

export interface DataTableInput {
  name: string;
  columns: ({
    name: string;
    type: "string" | "number" | "boolean" | "date";
  })[];
  projectId?: string;
}

export interface DataTableInsert {
  data: (Record<string, unknown>)[];
  returnType?: "count" | "id" | "all";
}

/** How many rows were inserted, their ids, or the rows. */
export type DataTableInserted = {
  count: number;
} | number[] | DataTableRow[];

/** A page of a list, and where the next one begins. */
export interface DataTableList {
  data: DataTable[];
  nextCursor: string | null;
}

export interface DataTableName {
  name: string;
}

/** The columns that every table has. */
export interface DataTableRow {
  id: number;
  createdAt: string;
  updatedAt: string;
  [other: string]: unknown;
}

/** A page of a list, and where the next one begins. */
export interface DataTableRowList {
  data: DataTableRow[];
  nextCursor: string | null;
}

/** Executions that were decided about together. */
export interface DecidedBatch {
  /** By which the decision is taken back. */
  batch: string;
  executions: number;
  /** When the executions resume. */
  appliesAt: string;
}

export interface DescribedOperation {
  id: string;
  method: string;
  path: string;
  summary: string;
  tags: string[];
  deprecated: boolean;
}

export interface DescribedRequest {
  /** The parameters of the newest HTTP Request. */
  parameters: Record<string, unknown>;
  /** What its credential holds, in words; empty if it needs none. */
  credentialHint: string;
  /** Optional parameters that it does not send. */
  leftOut: string[];
}

export interface DescribedSecurity {
  name: string;
  /** What a credential for it holds. */
  hint: string;
}

export interface DescribedServer {
  /** With the defaults of its variables. */
  url: string;
  description: string;
}

export interface DescriptionFinding {
  place: string;
  problem: string;
}

/** A workflow as it is drawn, which may have no name yet. */
export interface DrawnWorkflow {
  name?: string;
  nodes: (Record<string, unknown>)[];
  connections: Record<string, unknown>;
  settings?: Record<string, unknown>;
  staticData?: Record<string, unknown> | null;
  pinData?: Record<string, unknown> | null;
  meta?: Record<string, unknown> | null;
  id?: unknown;
  active?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
  versionId?: unknown;
  activeVersionId?: unknown;
  activeVersion?: unknown;
  triggerCount?: unknown;
  isArchived?: unknown;
  tags?: unknown;
  shared?: unknown;
  versionCounter?: unknown;
  description?: unknown;
  parentFolder?: unknown;
  parentFolderId?: string | null;
  homeProject?: unknown;
  scopes?: unknown;
  projectId?: string | null;
}

export interface EmailInput {
  currentPassword: string;
  email: string;
}

/** Why a request was refused. */
export interface Error {
  /** One of the codes of the documentation. */
  code: string;
  message: string;
  /** What to do about it. */
  hint?: string;
}

export interface Execution {
  id: string;
  /** It ended with success. */
  finished: boolean;
  mode: string;
  retryOf: string | null;
  retrySuccessId: string | null;
  status: string;
  startedAt: string;
  stoppedAt: string | null;
  workflowId: string;
  /** In lists, if the workflow is still there. */
  workflowName?: string;
  parentExecutionId: string | null;
  waitsForExecutionId: string | null;
  waitTill: string | null;
  customData: Record<string, unknown>;
  /** Why it failed. */
  error?: string;
  /** What the nodes did, if it was asked for. */
  data?: unknown;
  /** The workflow as it was executed, if it was asked for. */
  workflowData?: unknown;
}

/** What an agent did in a step. */
export interface ExecutionAgent {
  iterations: AgentIteration[];
  memory: ({
    op: string;
    node: string;
    startedMs: number;
    durationMs: number;
    error?: string;
  })[];
  output: unknown;
  sources: AnswerSource[];
  approvals: AgentApproval[];
  finishReason: "completed" | "max_iterations" | "budget" | "confidence_threshold" | "iteration_limit" | "error" | "running" | "approval" | "stopped";
  errors: ({
    code?: string;
    message: string;
    iteration: number;
  })[];
  startedMs?: number;
  /** The execution that the result was taken from. */
  reused?: string;
}

/** The fields of a document that the API names. */
export interface ExecutionDocument {
  id?: string;
  name?: string;
  nodes: (Record<string, unknown>)[];
  connections: Record<string, unknown>;
  settings?: Record<string, unknown>;
  pinData?: Record<string, unknown> | null;
  [other: string]: unknown;
}

export interface ExecutionItems {
  items: ShownItem[];
  total: number;
  /** The page ends early because the items are large. */
  truncated?: boolean;
}

/** A page of a list, and where the next one begins. */
export interface ExecutionList {
  data: Execution[];
  nextCursor: string | null;
}

/** An execution without its items. */
export interface ExecutionOutline {
  id: string;
  /** It ended with success. */
  finished: boolean;
  mode: string;
  retryOf: string | null;
  retrySuccessId: string | null;
  status: string;
  startedAt: string;
  stoppedAt: string | null;
  workflowId: string;
  /** In lists, if the workflow is still there. */
  workflowName?: string;
  parentExecutionId: string | null;
  waitsForExecutionId: string | null;
  waitTill: string | null;
  customData: Record<string, unknown>;
  error?: RunError;
  /** What the nodes did, if it was asked for. */
  data?: unknown;
  /** The workflow as it was executed, if it was asked for. */
  workflowData?: unknown;
  startNode?: string;
  lastNode?: string;
  /** The runs of each node, in the order of their first run. */
  nodes: Record<string, NodeRun[]>;
  /** The length of its journal. */
  events: number;
  models: ModelUse[];
}

export interface ExecutionSchema {
  fields: ({
    path: string[];
    /** The kinds of values; `undefined` only of an expression. */
    type: "null" | "boolean" | "number" | "string" | "array" | "object" | "date" | "undefined";
    sample: unknown;
  })[];
}

/** What agents did in an execution, in order. */
export interface ExecutionTrace {
  executionId: string;
  workflowId: string;
  events: TraceEvent[];
}

export interface ExpressionInput {
  workflow: DrawnWorkflow;
  workflowId?: string;
  node: string;
  expression: string;
  executionId?: string;
  item?: number;
  runIndex?: number;
}

/** What an expression gives: a value or the beginning of its text, or an error. */
export interface ExpressionValue {
  value?: unknown;
  text?: string;
  /** The kinds of values; `undefined` only of an expression. */
  type?: "null" | "boolean" | "number" | "string" | "array" | "object" | "date" | "undefined";
  truncated?: boolean;
  error?: RunError;
}

export interface FetchInput {
  url: string;
}

export interface FetchedWorkflow {
  workflow: Record<string, unknown>;
}

export interface Folder {
  id: string;
  name: string;
  parentId: string | null;
  projectId: string;
  createdAt: string;
  updatedAt: string;
}

export interface FolderChange {
  name?: string;
  /** The folder that it goes into; `null` for the top. */
  parentId?: string | null;
}

export interface FolderInput {
  name: string;
  parentId?: string | null;
  projectId?: string;
}

/** A page of a list, and where the next one begins. */
export interface FolderList {
  data: Folder[];
  nextCursor: string | null;
}

export interface ForkInput {
  /** The name of a step. */
  from: string;
  model?: string | null;
}

export interface Insights {
  runs: ({
    day: string;
    ok: number;
    failed: number;
  })[];
  latency: ({
    workflowId: string;
    name?: string;
    runs: number;
    p50: number;
    p95: number;
  })[];
  models: ({
    model: string;
    tokensIn: number;
    tokensOut: number;
    dollars: number;
    calls: number;
  })[];
  workflows: ({
    workflowId: string;
    name?: string;
    runs: number;
    failed: number;
    dollars: number;
  })[];
  totals: {
    runs: number;
    failed: number;
    /** `null` without runs. */
    p50Ms: number | null;
    p95Ms: number | null;
    tokens: number;
    dollars: number;
  };
}

export interface Instance {
  version: string;
  url: string;
  webhookUrl: string | null;
  startedAt: string;
  limits: {
    bodyBytes: number;
    connections: number;
  };
  counts: {
    activeWorkflows: number;
    runsInProgress: number;
  };
  /** Private hosts that workflows may call (`HEDDLE_EGRESS_ALLOW`); only for administrators. */
  egressAllow: string[] | null;
}

/** Accepts an invitation, or sets a new password with a link. */
export interface InvitationInput {
  token: string;
  password: string;
  firstName?: string;
  lastName?: string;
}

export type Invitations = ({
  user: {
    id: string;
    email: string;
    /** Where the person chooses a password; absent if there was an error. */
    inviteAcceptUrl?: string;
    emailSent: boolean;
    role: string;
  };
  error: string;
})[];

export interface ItemFile {
  fileName?: string;
  mimeType: string;
  fileExtension?: string;
  fileType?: string;
  fileSize?: string;
  /** Where its bytes are; those of small files are in the address itself. */
  url: string;
}

export interface Link {
  link: string;
}

/** What happens in runs. */
export type LiveEvent = {
  type: "executionStarted";
  data: {
    executionId: string;
    workflowId: string;
    workflowName: string;
    mode: string;
    startedMs: number;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "nodeStarted";
  data: {
    executionId: string;
    node: string;
    run: number;
    startedMs: number;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "nodeLog";
  data: {
    executionId: string;
    node: string;
    line: string;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "nodeStep";
  data: {
    executionId: string;
    node: string;
    step: string;
    value: unknown;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "approval";
  data: {
    executionId: string;
    node: string;
    call: string;
    tool: string;
    arguments: unknown;
    digest: string;
    askedMs: number;
    untilMs: number;
    decision: "approved" | "rejected" | "expired" | null;
    reason: string | null;
    by: string | null;
    decidedMs: number | null;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "nodeServed";
  data: {
    executionId: string;
    node: string;
    kind?: string;
    /** The node that was served. */
    serves?: string;
    status: string;
    durationMs: number;
    error?: RunError;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "modelUsed";
  data: {
    executionId: string;
    node: string;
    provider: string;
    model: string;
    inputTokens: number;
    cachedTokens: number;
    outputTokens: number;
    dollars: number | null;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "agentStage";
  data: {
    executionId: string;
    node: string;
    run: number;
    item: number;
    stage: "preprocess" | "retrieve" | "plan" | "act" | "integrate" | "update" | "output";
    atMs: number;
    detail: unknown;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "nodeRetried";
  data: {
    executionId: string;
    node: string;
    attempt: number;
    error: RunError;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "nodeFinished";
  data: {
    executionId: string;
    node: string;
    run: number;
    status: string;
    durationMs: number;
    /** How many items each main output has. */
    items: number[];
    /** The execution that the result was taken from. */
    reused?: string;
    error?: RunError;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "nodeSilent";
  data: {
    executionId: string;
    node: string;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "executionWaiting";
  data: {
    executionId: string;
    node: string;
    /** It waits for a person's approval. */
    asks: boolean;
    /** The execution that it waits for. */
    waitsFor?: string;
    untilMs?: number;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "executionResumed";
  data: {
    executionId: string;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "executionFinished";
  data: {
    executionId: string;
    status: string;
    finishedMs: number;
    error?: RunError;
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "agent";
  data: {
    executionId: string;
    type: string;
    content?: unknown;
    metadata: {
      nodeId: string;
      nodeName: string;
      itemIndex: number;
      runIndex: number;
      timestamp: number;
    };
    /** Values were too large to be sent and are left out. */
    isCut?: boolean;
  };
} | {
  type: "missed";
  data: number;
};

/** A built-in model and how it stands. */
export interface LocalModel {
  name: string;
  /** What it is for. */
  purpose: string;
  licence: string;
  /** The size of its weights. */
  bytes: number;
  state: "missing" | "downloading" | "ready" | "failed";
  /** Bytes that have been downloaded, while it is. */
  downloadedBytes: number | null;
  /** Why the last download failed; only for administrators. */
  error: string | null;
}

export interface LocalModelList {
  data: LocalModel[];
}

/** Which server to connect to: a configured one, or an address without a credential. */
export interface McpConnectionInput {
  projectId: string;
  server?: string;
  url?: string;
  transport?: "http" | "sse";
}

/** What came of connecting. */
export interface McpConnectionTest {
  ok: boolean;
  error: McpTestError | null;
  /** What the server calls itself. */
  name: string;
  version: string;
  protocolVersion: string;
  tools: McpTestedTool[];
}

/** A definition and its SHA-256. */
export interface McpDefinition {
  digest: string;
  /** Name, description, input schema and annotations. */
  definition: unknown;
}

/** A server: of the operator's file, or one that a project has used by its address. */
export interface McpServer {
  /** The configured name, or the address without secrets. */
  name: string;
  isConfigured: boolean;
  /** The project whose pinned definitions are counted; none for a configured server that no project has used. */
  projectId: string | null;
  /** `stdio`, `http` or `sse`; only for configured servers. */
  transport: string | null;
  /** The command or address; only for configured servers. */
  address: string | null;
  /** `unused`, `connected`, `stopped` or `failed`; only for configured servers. */
  health: string | null;
  /** Why it failed; only for administrators. */
  error: string | null;
  /** How often its process was started. */
  starts: number;
  /** The end of its standard error; only for administrators. */
  stderr: string | null;
  toolCount: number;
  /** Tools that wait for a decision. */
  openCount: number;
}

export interface McpServerList {
  data: McpServer[];
}

export interface McpTestError {
  code: string;
  message: string;
  hint: string | null;
}

export interface McpTestedTool {
  name: string;
  description: string;
  /** `approved`, `new`, `changed` or `rejected`. */
  state: string;
}

/** A tool of a server as a project knows it. */
export interface McpTool {
  name: string;
  /** `approved`, `new`, `changed` or `rejected`. */
  state: string;
  approved: McpDefinition | null;
  /** What the server lists instead. */
  proposed: McpDefinition | null;
  /** The fields in which the two differ. */
  changedFields: string[];
  seenAt: string;
  /** Who decided last; nobody for what was approved on first use. */
  decidedBy: string | null;
  decidedAt: string | null;
}

export interface McpToolDecision {
  projectId: string;
  server: string;
  tool: string;
  /** Of the definition that was looked at. */
  digest: string;
  decision: "approve" | "reject";
}

export interface McpToolList {
  data: McpTool[];
}

export interface MemberInputs {
  relations: ({
    userId: string;
    role: "project:admin" | "project:editor" | "project:viewer";
  })[];
}

export interface MemberRole {
  role: "project:admin" | "project:editor" | "project:viewer";
}

export interface Memory {
  id: string;
  name: string;
  projectId: string;
  embeddingModel: string | null;
  dimensions: number | null;
  entryCount: number;
  sizeBytes: number;
  /** Turns that wait for consolidation. */
  pendingTurns: number;
  reads: number;
  hits: number;
  misses: number;
  writes: number;
  createdAt: string;
  updatedAt: string;
}

export interface MemoryDeleted {
  deletedCount: number;
}

export interface MemoryEntryChange {
  /** The version that was read. If the entry has another one, the change is rejected. */
  version: number;
  text?: string;
  kind?: MemoryEntryKind;
  tags?: string[];
  validFrom?: string;
  expiresAt?: string;
  /** The entry that takes its place. */
  supersededBy?: string;
  /** Makes the entry hold again. */
  restore?: boolean;
}

export type MemoryEntryKind = "fact" | "note" | "document";

export interface MemoryFound {
  results: ({
    /** Similarity from 0 to 1; 0 if it was found by keywords or time only. */
    score: number;
    entry: StoredMemoryEntry;
  })[];
}

/** A page of a list, and where the next one begins. */
export interface MemoryList {
  data: Memory[];
  nextCursor: string | null;
}

export interface MemoryQuestion {
  /** What to look for. Without one, the newest entries are found. */
  query?: string;
  subject?: string;
  tags?: string[];
  kinds?: MemoryEntryKind[];
  /** Only entries valid from this time on. */
  from?: string;
  /** Only entries valid before this time. */
  until?: string;
  limit?: number;
  minScore?: number;
  recencyWeight?: number;
  includeSuperseded?: boolean;
  includeExpired?: boolean;
}

/** Where an entry comes from. Parts that are not known are empty. */
export interface MemorySource {
  workflowId: string;
  executionId: string;
  node: string;
  sessionId: string;
  turn: string;
  quote: string;
}

export interface ModelUse {
  node: string;
  provider: string;
  model: string;
  calls: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  dollars: number;
}

export interface NameInput {
  firstName: string;
  lastName: string;
}

/** A key that was just created. */
export interface NewApiKey {
  id: string;
  label: string;
  /** All but its last characters hidden. */
  apiKey: string;
  scopes: string[];
  createdAt: string;
  expiresAt: string | null;
  /** The key itself, which is shown only once. */
  rawApiKey: string;
}

/** One run of a node, or one thing that it did for another. */
export interface NodeRun {
  runIndex: number;
  executionIndex?: number;
  startTime: number;
  executionTime?: number;
  status: "running" | "success" | "error" | "waiting" | "canceled";
  source?: ({
    previousNode: string;
    previousNodeOutput?: number;
    previousNodeRun?: number;
  } | null)[];
  outputs?: ({
    kind: string;
    index: number;
    items: number;
  })[];
  error?: RunError;
  hints?: string[];
  /** The execution that the result was taken from. */
  reused?: string;
  /** The node that it did this for. */
  served?: {
    kind: string;
    node: string;
    run: number;
  };
  /** How many steps of its own it recorded. */
  steps?: number;
}

export interface NodeSupport {
  name: string;
  type: string;
  typeVersion: number;
  support: "full" | "differs" | "unknown" | "version";
  notes: string[];
}

export interface NodeTypeDocs {
  markdown: string;
}

export type NodeTypes = ({
  id: string;
  versions: number[];
  name: string;
  summary: string;
  group: string;
  inputs: (Record<string, unknown>)[];
  outputs: (Record<string, unknown>)[];
  params: (Record<string, unknown>)[];
  docs: string;
  canBeTool: boolean;
  /** What differs while a model calls the node. */
  asTool?: Record<string, unknown>;
  supplies: boolean;
  [other: string]: unknown;
})[];

export interface OidcConnectInput {
  currentPassword: string;
  /** Needed with two-factor authentication. */
  code?: string;
}

/** Where the browser goes from here. */
export interface OidcRedirect {
  url: string;
}

/** Whether one can sign in with the OpenID Connect provider. */
export interface OidcState {
  /** `null` if none is configured. */
  name: string | null;
  isConnected: boolean;
}

export interface PasswordInput {
  currentPassword: string;
  password: string;
}

/** The policy in force. */
export interface Policy {
  version: number;
  /** As it was written. */
  text: string;
  changedBy: string;
  changedAt: string | null;
  /** Why it cannot be used. All tool calls are refused then. */
  problem: string | null;
  stops: PolicyStop[];
  rules: number;
  limits: number;
}

export interface PolicyChange {
  executionId: string;
  workflowId: string;
  agent: string;
  tool: string;
  effect: string;
  now: PolicyVerdict;
  then: PolicyVerdict;
}

/** What a policy would have done to the last tool calls. */
export interface PolicyDryRun {
  calls: number;
  allowed: number;
  approvals: number;
  denied: number;
  /** Executions that are too large to be read for this. */
  skippedExecutions: number;
  /** The calls that would be decided otherwise than now. */
  changed: PolicyChange[];
}

export interface PolicyDryRunInput {
  /** The policy to try; without one, the one in force. */
  text?: string | null;
  /** How many of the last tool calls to try it on. */
  calls?: number;
}

export interface PolicyInput {
  text: string;
  /** The version that was changed. */
  version: number;
}

export interface PolicyStop {
  name: string;
  reason: string;
}

/** What to stop: one of tools, a server, a node type, a workflow, or an agent of a workflow. */
export interface PolicyStopInput {
  /** Tools of this name, wherever they are. `*` stands for any letters. */
  tool?: string;
  /** All tools of an MCP server. */
  server?: string;
  /** All tools that nodes of this type supply. */
  nodeType?: string;
  /** Every agent of this workflow. */
  workflowId?: string;
  /** Of the workflow, only the agent with this name. */
  agent?: string;
  reason?: string | null;
}

export interface PolicyStopped {
  /** What the stop is called. */
  name: string;
}

export interface PolicyVerdict {
  action: "allow" | "approve" | "deny";
  /** The rule that says so. */
  rule: string | null;
}

export interface Project {
  id: string;
  name: string;
  type: "personal" | "team";
  createdAt: string;
  updatedAt: string;
}

/** Clients send back what they got; only the name is theirs to change. */
export interface ProjectInput {
  name: string;
  id?: unknown;
  type?: unknown;
}

/** A page of a list, and where the next one begins. */
export interface ProjectList {
  data: Project[];
  nextCursor: string | null;
}

/** Codes for whoever loses the app: each works once, and they are shown only here. */
export interface RecoveryCodes {
  recoveryCodes: string[];
}

/** A tool that a manifest declares. */
export interface RegisteredTool {
  name: string;
  description: string;
  /** `http`, `node` or `mcp`. */
  kind: string;
  /** What it calls: method and host, type of the node, or name of the server's tool. */
  target: string;
  /** `read`, `write`, `send` or `spend`, if the manifest says so. */
  effect: string | null;
  /** JSON Schema of the arguments; none if the node or the server says it. */
  input: unknown;
  /** JSON Schema of the answer. */
  output: unknown;
  /** The operator's file, or the name of the registered manifest. */
  manifest: string;
  /** The project of a registered manifest. */
  projectId: string | null;
}

export interface RegisteredToolList {
  data: RegisteredTool[];
  manifests: ToolManifest[];
}

export interface ResumeInput {
  decision?: "again" | "done" | null;
  result?: string | null;
  call?: string | null;
  events?: number | null;
}

/** Which uncertain executions, and what becomes of the steps that they stopped at. Without any filter it is about all of them. */
export interface ResumeManyInput {
  decision: "again" | "done";
  result?: string | null;
  /** Only these of them. */
  ids?: string[];
  workflowId?: string;
  /** Only those that stopped at this node. */
  node?: string;
  startedAfter?: string;
  startedBefore?: string;
  /** How long the decision can be taken back; 30 seconds if it is not given. */
  holdSeconds?: number;
}

export interface RetryInput {
  /** With the workflow as it is now instead of as it was then. */
  loadWorkflow?: boolean;
}

export interface RoleInput {
  newRoleName: "global:admin" | "global:member" | "global:viewer";
}

/** A run that has begun, or the address that it waits for. */
export interface RunBegun {
  executionId: string | null;
  waitingFor?: {
    node: string;
    kind: "webhook" | "form" | "mcp";
    method: string;
    url: string;
    path: string;
    expiresAt: string;
  };
}

/** The fields that every error may have. */
export interface RunError {
  code?: string;
  message: string;
  description?: string;
  hint?: string;
  name?: string;
  node?: string;
  itemIndex?: number;
  [other: string]: unknown;
}

export interface RunInput {
  workflow?: DrawnWorkflow;
  trigger?: string;
  until?: string;
  start?: string;
  /** What the trigger gives, in n8n's form of items. */
  items?: (Record<string, unknown>)[];
  /** An execution whose results are used again. */
  reuse?: string;
}

/** Who is signed in. */
export interface SessionUser {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  role: string;
  scopes: string[];
  /** To be sent with every change; `null` for whoever uses an API key. */
  csrfToken: string | null;
}

/** The first owner. */
export interface SetupInput {
  token: string;
  email: string;
  password: string;
  firstName?: string;
  lastName?: string;
}

/** Whether the first owner is still to be created, and how else one signs in. */
export interface SetupState {
  needsSetup: boolean;
  /** The OpenID Connect provider, if there is one. */
  oidcName: string | null;
}

export interface Shares {
  shareWithIds: string[];
}

/** An item, or the beginning of one that is too large to be shown. */
export interface ShownItem {
  json?: Record<string, unknown>;
  preview?: string;
  /** The length of an item of which only the beginning is shown. */
  bytes?: number;
  binary?: Record<string, ItemFile>;
  pairedItem?: unknown;
  error?: Record<string, unknown>;
  /** Its place in the whole list, in the results of a search. */
  index?: number;
}

export interface SignInInput {
  email: string;
  password: string;
  /** Of the authenticator app, or a recovery code. Asked for with `ACCESS_CODE`. */
  code?: string;
}

export interface Spending {
  data: SpendingRow[];
  dollars: number;
}

export interface SpendingRow {
  day: string;
  workflowId: string;
  provider: string;
  model: string;
  calls: number;
  inputTokens: number;
  cachedTokens: number;
  outputTokens: number;
  dollars: number;
}

export interface StopInput {
  status: ("queued" | "running" | "waiting")[];
  workflowId?: string;
  startedAfter?: string;
  startedBefore?: string;
}

export interface Stopped {
  stopped: number;
}

export interface StoredMemoryEntry {
  id: string;
  subject: string;
  kind: MemoryEntryKind;
  text: string;
  tags: string[];
  source: MemorySource;
  createdAt: string;
  updatedAt: string;
  validFrom: string;
  expiresAt: string | null;
  supersededBy: string | null;
  version: number;
}

/** A page of a list, and where the next one begins. */
export interface StoredMemoryEntryList {
  data: StoredMemoryEntry[];
  nextCursor: string | null;
}

export interface Tag {
  id: string;
  name: string;
  createdAt: string;
  updatedAt: string;
}

export type TagIds = ({
  id: string;
})[];

/** Clients send back what they got; only the name is theirs to change. */
export interface TagInput {
  name: string;
  id?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
}

/** A page of a list, and where the next one begins. */
export interface TagList {
  data: Tag[];
  nextCursor: string | null;
}

export type Tags = Tag[];

export interface TakenBack {
  executions: number;
}

export interface TestWebhook {
  waitingForWebhook: boolean;
  expiresAt: string;
  addresses: ({
    node: string;
    kind: "webhook" | "form" | "mcp";
    method: string;
    url: string;
  })[];
}

export interface TestWebhookInput {
  node?: string;
  destinationNode?: string;
}

export interface ToolCallError {
  code: string;
  /** In words for a model. */
  message: string;
}

export interface ToolCallInput {
  projectId: string;
  /** The workflow whose credentials are used; without one, none are. */
  workflowId?: string | null;
  arguments: Record<string, unknown>;
}

/** What a call gave. */
export interface ToolCallResult {
  ok: boolean;
  output: unknown;
  error: ToolCallError | null;
}

/** Something in a manifest that cannot be used. */
export interface ToolFinding {
  line: number;
  column: number;
  /** The tool, or the part of the manifest. */
  place: string;
  code: string;
  message: string;
}

/** A manifest, and how it is doing. */
export interface ToolManifest {
  name: string;
  /** None for the operator's files. */
  projectId: string | null;
  version: number;
  changedBy: string;
  changedAt: string | null;
  toolCount: number;
  findings: ToolFinding[];
  /** The file has errors; its last good text is in force. */
  isStale: boolean;
}

export interface ToolManifestCheck {
  /** Names of the tools that can be used. */
  tools: string[];
  findings: ToolFinding[];
}

export interface ToolManifestCheckInput {
  projectId: string;
  /** YAML or JSON. */
  text: string;
}

export interface ToolManifestInput {
  projectId: string;
  /** YAML or JSON. */
  text: string;
  /** The version that was changed; 0 for a new manifest. */
  version: number;
}

export interface TraceEvent {
  /** The execution and the place of the event in it; a stream goes on behind it. */
  id: string;
  executionId: string;
  stage: "preprocess" | "retrieve" | "plan" | "act" | "integrate" | "update" | "output";
  kind: "input" | "memory_read" | "search" | "model_reply" | "approval" | "tool_call" | "tool_result" | "memory_write" | "answer" | "execution_finished";
  /** The agent's node. */
  node: string;
  run: number;
  /** The node that served it. */
  subNode?: string;
  atMs?: number;
  durationMs?: number;
  detail: unknown;
  error?: RunError;
}

export interface Transfer {
  destinationProjectId: string;
}

export interface TwoFactorChangeInput {
  currentPassword: string;
  code: string;
}

export interface TwoFactorCodeInput {
  code: string;
}

/** What an authenticator app is given, as an address for a QR code and to be typed. It counts once a first code is sent. */
export interface TwoFactorSetup {
  url: string;
  secret: string;
}

export interface TwoFactorSetupInput {
  currentPassword: string;
}

/** Whether an authenticator app is asked for at sign-in. */
export interface TwoFactorState {
  isEnabled: boolean;
  recoveryCodesLeft: number;
}

/** Uncertain executions of a workflow that stopped at the same node. */
export interface UncertainStep {
  workflowId: string;
  /** If the workflow is still there. */
  workflowName: string | null;
  node: string | null;
  executions: number;
  /** How many of them are decided and have not resumed yet. */
  decided: number;
  firstStartedAt: string;
  lastStartedAt: string;
}

export interface UncertainSteps {
  data: UncertainStep[];
  /** Decisions that can be taken back. */
  batches: DecidedBatch[];
}

export interface User {
  id: string;
  email: string;
  firstName: string;
  lastName: string;
  isPending: boolean;
  /** Whether an authenticator app is asked for at sign-in. */
  mfaEnabled: boolean;
  createdAt: string;
  updatedAt: string;
  /** In the instance, or in the project whose members are listed. */
  role?: string;
}

export type UserInputs = ({
  email: string;
  role?: "global:admin" | "global:member" | "global:viewer";
})[];

/** A page of a list, and where the next one begins. */
export interface UserList {
  data: User[];
  nextCursor: string | null;
}

export interface Variable {
  id: string;
  key: string;
  value: string;
  type: string;
  /** The project that it is for; `null` if it is for all. */
  project: {
    id: string;
  } | null;
}

/** Clients send back what they got; `project` is set by `projectId`. */
export interface VariableInput {
  key: string;
  value: string;
  projectId?: string | null;
  id?: unknown;
  type?: unknown;
  project?: unknown;
}

/** A page of a list, and where the next one begins. */
export interface VariableList {
  data: Variable[];
  nextCursor: string | null;
}

/** A version of a workflow without its document. */
export interface Version {
  versionId: string;
  workflowId: string;
  authors: string;
  name: string | null;
  description: string | null;
  createdAt: string;
  updatedAt: string;
  nodes: (Record<string, unknown>)[];
  connections: Record<string, unknown>;
}

export type Versions = ({
  versionId: string;
  workflowId: string;
  authors: string;
  name: string | null;
  description: string | null;
  createdAt: string;
  updatedAt: string;
})[];

/** A workflow: its document, and what the server knows about it. */
export interface Workflow {
  id: string;
  name: string;
  active: boolean;
  createdAt: string;
  updatedAt: string;
  isArchived: boolean;
  versionId: string;
  projectId: string;
  parentFolderId: string | null;
  /** The version that listens, while the workflow is active. */
  activeVersionId: string | null;
  nodes: (Record<string, unknown>)[];
  connections: Record<string, unknown>;
  settings: Record<string, unknown>;
  staticData: Record<string, unknown> | null;
  pinData?: Record<string, unknown> | null;
  meta: Record<string, unknown> | null;
  triggerCount: number;
  tags: Tag[];
}

/** A workflow that is saved. */
export interface WorkflowInput {
  name: string;
  nodes: (Record<string, unknown>)[];
  connections: Record<string, unknown>;
  settings?: Record<string, unknown>;
  staticData?: Record<string, unknown> | null;
  pinData?: Record<string, unknown> | null;
  meta?: Record<string, unknown> | null;
  id?: unknown;
  active?: unknown;
  createdAt?: unknown;
  updatedAt?: unknown;
  versionId?: unknown;
  activeVersionId?: unknown;
  activeVersion?: unknown;
  triggerCount?: unknown;
  isArchived?: unknown;
  tags?: unknown;
  shared?: unknown;
  versionCounter?: unknown;
  description?: unknown;
  parentFolder?: unknown;
  parentFolderId?: string | null;
  homeProject?: unknown;
  scopes?: unknown;
  projectId?: string | null;
}

/** A page of a list, and where the next one begins. */
export interface WorkflowList {
  data: Workflow[];
  nextCursor: string | null;
}

export interface WorkflowPlace {
  parentFolderId: string | null;
}

export interface WorkflowProblem {
  severity: "error" | "warning";
  code: string;
  message: string;
  place: string;
  /** The node cannot run before this is mended. */
  stopsNode: boolean;
  hint?: string;
  node?: string;
  parameter?: string;
}

export interface WorkflowReport {
  problems: WorkflowProblem[];
  nodes: NodeSupport[];
}
