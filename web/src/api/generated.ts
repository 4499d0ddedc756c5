// What the API takes and gives. Made from the server's schemas by `cargo xtask docs`; not to be edited.
// biome-ignore-all format: a program writes it
// biome-ignore-all lint: a program writes
         // it

export interface Error {
  code: string;
  message: string;
  hint?: string | null;
}

export type Schema = Record<string, unknown>;

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

export interface Workflow {
  id: string;
  name: string;
  active: boolean;
  isArchived?: boolean;
  versionId: string;
  activeVersionId?: string | null;
  createdAt: string;
  updatedAt: string;
  nodes: (Record<string, unknown>)[];
  connections: Record<string, unknown>;
  settings: Record<string, unknown>;
  staticData?: unknown;
  pinData?: unknown;
  meta?: unknown;
  triggerCount?: number;
  projectId?: string;
  parentFolderId?: string | null;
  tags: Tag[];
}

export interface WorkflowList {
  data: Workflow[];
  nextCursor: string | null;
}

export interface Version {
  versionId: string;
  workflowId: string;
  authors: string;
  name?: string | null;
  description?: string | null;
  nodes: (Record<string, unknown>)[];
  connections: Record<string, unknown>;
  createdAt?: string;
  updatedAt?: string;
}

export type Versions = ({
  versionId: string;
  workflowId: string;
  authors: string;
  name?: string | null;
  description?: string | null;
  createdAt?: string;
  updatedAt?: string;
})[];

export interface Execution {
  id: string;
  finished: boolean;
  mode: string;
  retryOf?: string | null;
  retrySuccessId?: string | null;
  status: string;
  startedAt: string;
  stoppedAt?: string | null;
  workflowId: string;
  workflowName?: string | null;
  parentExecutionId?: string | null;
  waitsForExecutionId?: string | null;
  waitTill?: string | null;
  customData?: Record<string, unknown>;
  data?: unknown;
  workflowData?: unknown;
}

export interface ExecutionList {
  data: Execution[];
  nextCursor: string | null;
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

export interface Tag {
  id: string;
  name: string;
  createdAt?: string;
  updatedAt?: string;
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

export interface Spending {
  data: SpendingRow[];
  dollars: number;
}

export interface TagList {
  data: Tag[];
  nextCursor: string | null;
}

export type Tags = Tag[];

export interface TagInput {
  name: string;
}

export type TagIds = ({
  id: string;
})[];

export interface Variable {
  id: string;
  key: string;
  value: string;
  type?: string;
  project?: Record<string, unknown> | null;
}

export interface VariableList {
  data: Variable[];
  nextCursor: string | null;
}

export interface VariableInput {
  key: string;
  value: string;
  projectId?: string | null;
}

export interface Project {
  id: string;
  name: string;
  type: "personal" | "team";
  createdAt?: string;
  updatedAt?: string;
}

export interface ProjectList {
  data: Project[];
  nextCursor: string | null;
}

export interface ProjectInput {
  name: string;
}

export interface Transfer {
  destinationProjectId: string;
}

export interface Credential {
  id: string;
  name: string;
  type: string;
  isManaged?: boolean;
  projectId?: string;
  sharedWith?: string[];
  createdAt: string;
  updatedAt: string;
}

export interface CredentialList {
  data: Credential[];
  nextCursor: string | null;
}

export interface CredentialInput {
  name: string;
  type: string;
  data: Record<string, unknown>;
  projectId?: string;
}

export interface CredentialChange {
  name?: string;
  type?: string;
  data?: Record<string, unknown>;
  isPartialData?: boolean;
  isGlobal?: boolean;
  isResolvable?: boolean;
}

export interface User {
  id: string;
  email: string;
  firstName?: string;
  lastName?: string;
  isPending?: boolean;
  createdAt?: string;
  updatedAt?: string;
  role?: string;
}

export interface UserList {
  data: User[];
  nextCursor: string | null;
}

export type UserInputs = ({
  email: string;
  role?: "global:admin" | "global:member" | "global:viewer";
})[];

export type Invitations = ({
  user: {
    id: string;
    email: string;
    inviteAcceptUrl?: string;
    emailSent: boolean;
    role: string;
  };
  error: string;
})[];

export interface RoleInput {
  newRoleName: "global:admin" | "global:member" | "global:viewer";
}

export interface AuditInput {
  additionalOptions?: {
    daysAbandonedWorkflow?: number;
    categories?: ("credentials" | "database" | "nodes" | "filesystem" | "instance")[];
  };
}

export type Audit = Record<string, {
  risk: string;
  sections: (Record<string, unknown>)[];
}> | (Record<string, unknown>)[];

export interface DataTableColumn {
  id: string;
  name: string;
  type: "string" | "number" | "boolean" | "date";
  index: number;
}

export type DataTableColumns = DataTableColumn[];

export interface DataTableColumnInput {
  name: string;
  type: "string" | "number" | "boolean" | "date";
  index?: number;
}

export interface DataTableColumnChange {
  name?: string;
  index?: number;
}

export interface DataTable {
  id: string;
  name: string;
  columns: DataTableColumn[];
  projectId: string;
  createdAt: string;
  updatedAt: string;
  rowCount?: number;
  sizeBytes?: number;
}

export interface DataTableList {
  data: DataTable[];
  nextCursor: string | null;
}

export interface DataTableName {
  name: string;
}

export interface DataTableInput {
  name: string;
  columns: ({
    name: string;
    type: "string" | "number" | "boolean" | "date";
  })[];
  projectId?: string;
}

export interface DataTableRow {
  id: number;
  createdAt: string;
  updatedAt: string;
  [other: string]: unknown;
}

export interface DataTableRowList {
  data: DataTableRow[];
  nextCursor: string | null;
}

export interface DataTableFilter {
  type?: "and" | "or";
  filters: ({
    columnName: string;
    condition: "eq" | "neq" | "like" | "ilike" | "gt" | "gte" | "lt" | "lte";
    value: unknown;
  })[];
}

export interface DataTableInsert {
  data: (Record<string, unknown>)[];
  returnType?: "count" | "id" | "all";
}

export type DataTableInserted = {
  count: number;
} | number[] | DataTableRow[];

export interface DataTableChange {
  filter: DataTableFilter;
  data: Record<string, unknown>;
  returnData?: boolean;
  dryRun?: boolean;
}

export type DataTableChanged = boolean | (DataTableRow | {
  id?: number | null;
  dryRunState?: "before" | "after";
  [other: string]: unknown;
})[];

export interface DataTableCleared {
  deletedCount: number;
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

export interface CollectionList {
  data: Collection[];
  nextCursor: string | null;
}

export interface CollectionInput {
  name: string;
  description?: string;
  projectId?: string;
  embeddingModel?: string;
  credentialId?: string;
}

export interface CollectionChange {
  name?: string;
  description?: string;
  credentialId?: string;
}

export interface CollectionSources {
  data: ({
    name: string;
    chunkCount: number;
    createdAt: string;
  })[];
  nextCursor: string | null;
}

export interface CollectionChunks {
  data: ({
    id: string;
    source: string;
    content: string;
    metadata: Record<string, unknown>;
    createdAt: string;
  })[];
  nextCursor: string | null;
}

export interface CollectionText {
  text: string;
  source?: string;
  metadata?: Record<string, unknown>;
}

export interface CollectionAdded {
  source: string;
  chunks: number;
}

export interface CollectionQuestion {
  query: string;
  limit?: number;
  minScore?: number;
  hybrid?: boolean;
  metadata?: Record<string, unknown>;
}

export interface CollectionFound {
  results: ({
    id: string;
    content: string;
    score: number;
    metadata: Record<string, unknown>;
  })[];
}

export interface CollectionDeleted {
  deletedCount: number;
}

export interface TestWebhookInput {
  node?: string;
  destinationNode?: string;
}

export interface TestWebhook {
  waitingForWebhook: boolean;
  expiresAt: string;
  addresses: ({
    node: string;
    kind: "webhook" | "form";
    method: string;
    url: string;
  })[];
}

export interface Activation {
  versionId?: string;
  name?: string;
  description?: string;
}

export interface ForkInput {
  from: string;
  model?: string;
}

export interface ResumeInput {
  decision?: "again" | "done";
  result?: string;
  call?: string;
  events?: number;
}

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

export interface ApprovalList {
  data: Approval[];
  nextCursor: string | null;
}

export interface ApprovalInput {
  call: string;
  digest: string;
  decision: "approve" | "reject";
  reason?: string | null;
}

export interface RetryInput {
  loadWorkflow?: boolean;
}

export interface Shares {
  shareWithIds: string[];
}

export interface CredentialTest {
  status: "OK" | "Error";
  message: string;
}

export interface CredentialModels {
  data: string[];
  message: string | null;
}

export interface MemberList {
  data: User[];
  nextCursor: string | null;
}

export interface MemberRole {
  role: "project:admin" | "project:editor" | "project:viewer";
}

export interface MemberInputs {
  relations: ({
    userId: string;
    role: "project:admin" | "project:editor" | "project:viewer";
  })[];
}

export interface Link {
  link: string;
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
  supplies: boolean;
  [other: string]: unknown;
})[];

export interface NodeTypeDocs {
  markdown: string;
}

export interface DrawnWorkflow {
  name?: string;
  nodes: (Record<string, unknown>)[];
  connections: Record<string, unknown>;
  settings?: Record<string, unknown>;
  pinData?: Record<string, unknown> | null;
  staticData?: Record<string, unknown> | null;
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
  parentFolderId?: unknown;
  homeProject?: unknown;
  scopes?: unknown;
  projectId?: string | null;
}

export interface RunInput {
  workflow?: DrawnWorkflow;
  trigger?: string;
  until?: string;
  start?: string;
  items?: (Record<string, unknown>)[];
  reuse?: string;
}

export interface RunBegun {
  executionId: string | null;
  waitingFor?: {
    node?: string;
    kind?: "webhook" | "form";
    method: string;
    path: string;
    url: string;
    expiresAt?: string;
  };
}

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
  reused?: string;
  served?: {
    kind: string;
    node: string;
    run: number;
  };
  steps?: number;
}

export interface RunError {
  code?: string;
  message: string;
  description?: string | null;
  hint?: string | null;
  name?: string;
  node?: string | null;
  itemIndex?: number | null;
  [other: string]: unknown;
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

export interface ExecutionOutline {
  id: string;
  finished?: boolean;
  mode: string;
  status: string;
  startedAt: string;
  stoppedAt?: string | null;
  waitTill?: string | null;
  workflowId: string;
  workflowName?: string;
  startNode?: string | null;
  lastNode?: string | null;
  retryOf?: string | null;
  parentExecutionId?: string | null;
  waitsForExecutionId?: string | null;
  error?: RunError;
  nodes: Record<string, NodeRun[]>;
  models: ModelUse[];
  events: number;
}

export interface ExecutionDocument {
  id?: string;
  name?: string;
  nodes: (Record<string, unknown>)[];
  connections: Record<string, unknown>;
  settings?: Record<string, unknown>;
  pinData?: Record<string, unknown> | null;
  [other: string]: unknown;
}

export interface ItemFile {
  fileName?: string | null;
  mimeType: string;
  fileExtension?: string | null;
  fileType?: string | null;
  fileSize?: string | null;
  url: string;
}

export interface ShownItem {
  json?: Record<string, unknown>;
  preview?: string;
  bytes?: number;
  binary?: Record<string, ItemFile>;
  pairedItem?: unknown;
  error?: Record<string, unknown>;
  index?: number;
}

export interface ExecutionItems {
  items: ShownItem[];
  total: number;
  truncated?: boolean;
}

export interface ExecutionSchema {
  fields: ({
    path: string[];
    type: "null" | "boolean" | "number" | "string" | "array" | "object" | "date";
    sample?: unknown;
  })[];
}

export interface WorkflowProblem {
  severity: "error" | "warning" | "info";
  code: string;
  message: string;
  place: string;
  hint?: string;
  node?: string;
  parameter?: string;
}

export interface NodeSupport {
  name: string;
  type: string;
  typeVersion?: number | null;
  support: "full" | "differs" | "unknown" | "version";
  notes: string[];
}

export interface WorkflowReport {
  problems: WorkflowProblem[];
  nodes: NodeSupport[];
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

export interface ExpressionValue {
  value?: unknown;
  text?: string;
  type?: string;
  truncated?: boolean;
  error?: RunError;
}

export interface WorkflowPlace {
  parentFolderId: string | null;
}

export interface Folder {
  id: string;
  name: string;
  parentId: string | null;
  projectId: string;
  createdAt?: string;
  updatedAt?: string;
}

export interface FolderList {
  data: Folder[];
  nextCursor: string | null;
}

export interface FolderInput {
  name: string;
  parentId?: string | null;
  projectId?: string;
}

export interface FolderChange {
  name?: string;
  parentId?: string | null;
}

export interface FetchInput {
  url: string;
}

export interface FetchedWorkflow {
  workflow: Record<string, unknown>;
}

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
  tool?: string;
  arguments?: unknown;
}

export interface AgentToolCall {
  id: string;
  name: string;
  arguments?: unknown;
  result?: unknown;
  isError?: boolean;
  durationMs?: number;
  approval?: AgentApproval;
}

export interface AgentIteration {
  index: number;
  item: number;
  model: string;
  startedMs?: number | null;
  durationMs?: number | null;
  message?: unknown;
  toolCalls: AgentToolCall[];
  tokens: {
    input?: number;
    cached?: number;
    output?: number;
    reasoning?: number;
  };
  dollars?: number | null;
  confidence?: number;
  action?: "tool" | "final";
}

export interface ExecutionAgent {
  iterations: AgentIteration[];
  memory: ({
    op: string;
    node?: string;
    startedMs?: number;
    durationMs: number;
    error?: string;
  })[];
  output?: unknown;
  finishReason: "completed" | "max_iterations" | "stopped" | "error" | "running" | "approval";
  approvals: AgentApproval[];
  errors: ({
    code?: string;
    message: string;
    iteration: number;
  })[];
  startedMs?: number;
  reused?: string;
}

export interface Insights {
  runs: ({
    day: string;
    ok: number;
    failed: number;
  })[];
  latency: ({
    workflowId: string;
    name?: string | null;
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
    name?: string | null;
    runs: number;
    failed: number;
    dollars: number;
  })[];
  totals: {
    runs: number;
    failed: number;
    p50Ms?: number | null;
    p95Ms?: number | null;
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
    bodyBytes?: number;
    connections?: number;
  };
  counts: {
    activeWorkflows?: number;
    runsInProgress?: number;
  };
}

export interface ClientErrorInput {
  message: string;
  stack?: string;
  page?: string;
  part?: string;
  build?: string;
}
