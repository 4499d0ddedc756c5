// The description of a node as Rust's `Spec` and `Param` are written in JSON.

export type ConnectionKind =
  | "main"
  | "ai_agent"
  | "ai_chain"
  | "ai_document"
  | "ai_embedding"
  | "ai_languageModel"
  | "ai_memory"
  | "ai_outputParser"
  | "ai_reranker"
  | "ai_retriever"
  | "ai_textSplitter"
  | "ai_tool"
  | "ai_vectorStore"
  | (string & {});

export interface PortDescription {
  kind: ConnectionKind;
  label: string;
  /** The node does not work without a connection here. */
  required: boolean;
  /** How many connections it takes; `null` for any number. */
  maxConnections: number | null;
  /** All must hold for the port to exist. */
  show: Rule[];
}

export type PortCount =
  | { entries: { list: string; label: string } }
  | { number: { param: string; label: string } }
  | { words: { param: string; default: string } }
  | { named: { labels: string[] } };

/** Ports that parameters decide. The first rule whose parameter has its value counts. */
export interface PortRule {
  when?: [string, string] | null;
  ports: PortCount;
  /** One port more while the parameter has the value: parameter, value, label. */
  extra?: [string, string, string] | null;
}

/** What starts a run at a trigger. */
export type TriggerKind =
  | "manual"
  | "webhook"
  | "form"
  | "mcp"
  | "chat"
  | "manualChat"
  | "schedule"
  | "email"
  | "feed"
  | "workflow"
  | "error";

/** A call that resumes a run which waits at the node, while all rules hold. */
export interface ResumeCall {
  kind: "form" | "webhook";
  show: Rule[];
}

/** What a new node begins with, if it is connected by an output of this kind. `{id}` stands for a new ID. */
export interface InitialParams {
  output: ConnectionKind | null;
  params: Record<string, unknown>;
}

export type NodeGroup = "trigger" | "flow" | "data" | "files" | "ai" | "tool" | "integration";

export interface NodeType {
  id: string;
  versions: number[];
  name: string;
  summary: string;
  group: NodeGroup;
  /** The name of one of the icons in `shared/icons.ts`. */
  icon: string;
  /** Templates of the line under a node's name; the first that can be filled counts. */
  subtitle: string[];
  trigger: TriggerKind | null;
  resumedBy: ResumeCall[];
  initial: InitialParams[];
  inputs: PortDescription[];
  outputs: PortDescription[];
  params: Param[];
  credentials: { kind: string; required: boolean }[];
  builderHint: string;
  examples: { title: string; version: string; params: string; input: string; output: string }[];
  aliases: string[];
  differs: { how: string; when: Rule[] }[];
  notes: string[];
  inputRules: PortRule[];
  outputRules: PortRule[];
  startedBy?: "hand" | "workflow" | "error" | null;
  /** A step that a crash cut off runs again by itself. */
  repeatable?: boolean;
  /** Of a node that is a tool by itself: the parameters that the model may fill in. */
  modelFills?: string[];
  /** Of an ordinary node in the form of a tool: the parameters that it has only as a tool. */
  toolParams?: string[];
  standing?: Standing;
  /** The triggers whose caller it answers. */
  answers?: TriggerKind[];
  /** Parameters with which it does the work of a node that is not supported, with places to fill. */
  standIn?: Record<string, unknown> | null;
  /** How the type differs while a model calls it, if a model may. */
  asTool?: ToolForm;
}

/** How warmly the node search offers a type. */
export type Standing = "regular" | "recommended" | "compatible" | "legacy";

export interface ToolForm {
  id: string;
  name: string;
  outputs: PortDescription[];
  /** Parameters that it has besides its own. */
  params: Param[];
}

export interface Param {
  name: string;
  label: string;
  kind: ParamKind;
  default: unknown;
  help: string;
  required: boolean;
  /** All must hold for the parameter to be shown. */
  show: Rule[];
  /** None may hold. */
  hide: Rule[];
  noExpression: boolean;
}

export interface ParamChoice {
  value: unknown;
  label: string;
  help: string;
}

export interface FieldGroup {
  name: string;
  label: string;
  params: Param[];
}

export type ParamKind =
  | {
      type:
        | "text"
        | "longText"
        | "secret"
        | "flag"
        | "json"
        | "dateTime"
        | "color"
        | "mapper"
        | "filter"
        | "assignments";
    }
  | { type: "credentialKind" | "notice" | "hidden" }
  | { type: "number"; min: number | null; max: number | null }
  | { type: "choice" | "multiChoice"; options: ParamChoice[] }
  | { type: "code"; language: string }
  | { type: "collection"; params: Param[] }
  | { type: "groups"; groups: FieldGroup[]; multiple: boolean }
  | { type: "locator"; modes: string[] };

/** A condition on another parameter (a leading `/` starts at the top) or on `@version`. */
export interface Rule {
  param: string;
  anyOf: RuleTest[];
}

export type RuleTest = { is: unknown } | { atLeast: number } | { atMost: number } | "exists";
