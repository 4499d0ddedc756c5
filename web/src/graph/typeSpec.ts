/** What the graph needs to know of a node type; the catalogue's entries have all of it and more. */
import type {
  InitialParams,
  NodeGroup,
  NodeType,
  Param,
  PortDescription,
  PortRule,
  ResumeCall,
  Standing,
  TriggerKind,
} from "../api/spec";

export type { NodeGroup as Group, PortRule } from "../api/spec";

export type PortSpec = Pick<PortDescription, "kind"> & Partial<PortDescription>;

export interface TypeSpec extends Readonly<Pick<NodeType, "id" | "name" | "summary">> {
  versions: readonly number[];
  group: NodeGroup;
  icon?: string;
  subtitle?: readonly string[];
  trigger?: TriggerKind | null;
  standing?: Standing;
  standIn?: Readonly<Record<string, unknown>> | null;
  answers?: readonly TriggerKind[];
  resumedBy?: readonly ResumeCall[];
  initial?: readonly InitialParams[];
  inputs: readonly PortSpec[];
  outputs: readonly PortSpec[];
  params: readonly Param[];
  aliases?: readonly string[];
  credentials?: readonly { kind: string; required: boolean }[];
  inputRules?: readonly PortRule[];
  outputRules?: readonly PortRule[];
}

/** Finds the description of a type; without a version, of its newest. */
export interface TypeLookup {
  find(type: string, version?: number): TypeSpec | undefined;
}
