/** What the graph needs to know of a node type; the catalogue's entries have all of it and more. */

export interface PortSpec {
  kind: string;
  label?: string;
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
  extra?: [string, string, string] | null;
}

export type Group = "trigger" | "flow" | "data" | "files" | "ai" | "tool" | "integration";

export interface ParamSpec {
  name: string;
  label: string;
  kind: { type: string; options?: { value: unknown; label: string }[] };
  default?: unknown;
}

export interface TypeSpec {
  id: string;
  versions: readonly number[];
  name: string;
  summary: string;
  group: Group;
  inputs: readonly PortSpec[];
  outputs: readonly PortSpec[];
  params: readonly ParamSpec[];
  aliases?: readonly string[];
  inputRules?: readonly PortRule[];
  outputRules?: readonly PortRule[];
}

/** Finds the description of a type; without a version, of its newest. */
export interface Types {
  find(type: string, version?: number): TypeSpec | undefined;
}
