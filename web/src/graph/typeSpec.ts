/** What the graph needs to know of a node type; the catalogue's entries have all of it and more. */
import type { NodeGroup, NodeType, Param, PortDescription, PortRule } from "../api/spec";

export type { NodeGroup as Group, PortRule } from "../api/spec";

export type PortSpec = Pick<PortDescription, "kind"> & Partial<PortDescription>;

export interface ParamSpec extends Pick<Param, "name" | "label"> {
  kind: { type: string; options?: { value: unknown; label: string }[] };
  default?: unknown;
}

export interface TypeSpec extends Readonly<Pick<NodeType, "id" | "name" | "summary">> {
  versions: readonly number[];
  group: NodeGroup;
  inputs: readonly PortSpec[];
  outputs: readonly PortSpec[];
  params: readonly ParamSpec[];
  aliases?: readonly string[];
  inputRules?: readonly PortRule[];
  outputRules?: readonly PortRule[];
}

/** Finds the description of a type; without a version, of its newest. */
export interface TypeLookup {
  find(type: string, version?: number): TypeSpec | undefined;
}
