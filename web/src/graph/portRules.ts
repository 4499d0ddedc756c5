/** Which ports the description of a type gives a node with its parameters, exactly as the server decides it. */

import type { WorkflowNode } from "../api/workflowDocument";
import { valueAt } from "./document";
import { MAIN } from "./edges";
import type { JsonObject } from "./json";
import type { PortRule, PortSpec, TypeSpec } from "./typeSpec";
import { ruleHolds, withDefaults } from "./visibleParams";

/** More ports than this are a mistake, as they are for the server. */
export const MAX_PORTS = 1000;

export function describedPorts(
  spec: TypeSpec,
  node: WorkflowNode,
): { inputs: readonly PortSpec[]; outputs: readonly PortSpec[] } {
  const { inputs, outputs, inputRules = [], outputRules = [] } = spec;
  const isFixed =
    inputRules.length + outputRules.length === 0 &&
    [...inputs, ...outputs].every((port) => !port.show?.length);
  if (isFixed) return { inputs, outputs };
  const place = { version: node.typeVersion };
  const values = withDefaults(spec.params, node.parameters as JsonObject, place);
  const exists = (port: PortSpec) =>
    (port.show ?? []).every((rule) => ruleHolds(rule, values, place, true));
  return {
    inputs: applyRules(inputRules, values, inputs).filter(exists),
    outputs: applyRules(outputRules, values, outputs).filter(exists),
  };
}

/** A rule decides the ports of one kind; the others stay as they are described. */
function applyRules(
  rules: readonly PortRule[],
  parameters: JsonObject,
  described: readonly PortSpec[],
): readonly PortSpec[] {
  for (const rule of rules) {
    const labels = labelsOf(rule, parameters);
    if (!labels) continue;
    const kind = described.some((port) => port.kind === MAIN) ? MAIN : (described[0]?.kind ?? MAIN);
    const like = described.find((port) => port.kind === kind) ?? { kind };
    return [
      ...labels.map((label): PortSpec => ({ ...like, label })),
      ...described.filter((port) => port.kind !== kind),
    ];
  }
  return described;
}

function labelsOf(rule: PortRule, parameters: JsonObject): string[] | null {
  const has = (param: string, equals: string) => {
    const value = valueAt(parameters, param);
    return typeof value === "boolean" ? String(value) === equals : value === equals;
  };
  if (rule.when && !has(...rule.when)) return null;
  const labels = countedPorts(rule.ports, parameters)?.slice(0, MAX_PORTS);
  if (labels && rule.extra && has(rule.extra[0], rule.extra[1])) labels.push(rule.extra[2]);
  return labels ?? null;
}

function countedPorts(ports: PortRule["ports"], parameters: JsonObject): string[] | null {
  if ("named" in ports) return [...ports.named.labels];
  if ("words" in ports) {
    const set = valueAt(parameters, ports.words.param);
    const words = typeof set === "string" ? set : ports.words.default;
    return words.split(",").flatMap((word) => word.trim() || []);
  }
  if ("number" in ports) {
    const count = valueAt(parameters, ports.number.param);
    if (typeof count !== "number" || !Number.isInteger(count) || count < 0) return null;
    const { label } = ports.number;
    return Array.from({ length: Math.min(count, MAX_PORTS) }, (_, at) =>
      label ? `${label.trim()} ${at + 1}` : String(at),
    );
  }
  const entries = valueAt(parameters, ports.entries.list);
  if (!Array.isArray(entries)) return null;
  return entries.map((entry, at) => {
    // An entry that is a text names itself.
    const label = typeof entry === "string" ? entry : valueAt(entry, [ports.entries.label]);
    return typeof label === "string" && label !== "" ? label : String(at);
  });
}
