/** What the node search offers: in which sections, and in which order. */
import { useMemo } from "react";
import { type Catalogue, useCatalogue } from "../api/catalogue";
import type { TriggerKind } from "../api/spec";
import type { WorkflowDocument } from "../api/workflowDocument";
import { findNode } from "../graph/document";
import {
  GROUPS,
  newestOfEach,
  type SearchContext,
  searchNodes,
  type WantedPort,
} from "../graph/nodeSearch";
import { canReplace, neededPorts } from "../graph/replaceNode";
import type { TypeSpec } from "../graph/typeSpec";
import type { AddRequest } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { readUsageCounts } from "./usageCounts";

export interface OfferedSection {
  title: string;
  specs: readonly TypeSpec[];
}

export interface OfferedNodes {
  wanted: WantedPort | null;
  sections: readonly OfferedSection[];
  /** The type that makes the requests of an API in the place of the node, if one can. */
  requester: { spec: TypeSpec; isTool: boolean } | null;
}

const MAX_FREQUENT = 5;
const MAX_MATCHES = 40;
const TOOL_KIND = "ai_tool";
/** Services call a webhook, or are asked from time to time. */
const STAND_IN_TRIGGERS: ReadonlySet<TriggerKind> = new Set(["webhook", "schedule"]);

export function useOfferedNodes(query: string, request: AddRequest): OfferedNodes {
  const catalogue = useCatalogue();
  const workflow = useEditor((state) => state.workflow);
  return useMemo(() => {
    const context = searchContext(workflow, catalogue);
    const { replace } = request;
    if (replace !== undefined) {
      const fitting = fittingTypes(workflow, catalogue, replace);
      return {
        wanted: null,
        sections: replacing(query, workflow, fitting, context, replace),
        requester: findRequester(fitting, catalogue),
      };
    }
    const wanted = wantedPort(request);
    const sections = adding(query, workflow, catalogue, context, wanted);
    return { wanted, sections, requester: null };
  }, [catalogue, workflow, query, request]);
}

function wantedPort({ place }: AddRequest): WantedPort | null {
  if (place.from) return { kind: place.from.kind, side: place.from.side };
  return place.edge ? { kind: place.edge.kind, side: "output" } : null;
}

function searchContext(workflow: WorkflowDocument, catalogue: Catalogue): SearchContext {
  const triggers = workflow.nodes.flatMap(
    (node) => catalogue.find(node.type, node.typeVersion)?.trigger ?? [],
  );
  return { uses: readUsageCounts(), triggers: new Set(triggers) };
}

function adding(
  query: string,
  workflow: WorkflowDocument,
  catalogue: Catalogue,
  context: SearchContext,
  wanted: WantedPort | null,
): OfferedSection[] {
  // Ordinary nodes as tools would only be in the way where no tool is wanted.
  const isTool = wanted?.kind === TOOL_KIND && wanted.side === "input";
  const tools = newestOfEach(isTool ? catalogue.tools : []);
  const specs = [...newestOfEach(catalogue.all), ...tools];
  const found = searchNodes(specs, query, wanted, context).map(({ spec }) => spec);
  if (query.trim() !== "")
    return found.length > 0 ? [{ title: "Best matches", specs: found.slice(0, MAX_MATCHES) }] : [];
  const isEmpty = workflow.nodes.length === 0;
  const often = isEmpty
    ? []
    : found.filter((spec) => context.uses.has(spec.id)).slice(0, MAX_FREQUENT);
  const rest = found.filter((spec) => spec.standing !== "legacy" && !often.includes(spec));
  // A workflow begins with a trigger; later ones are rare, so they come last. For a tool, those that are nothing else come first.
  const last = isEmpty || wanted?.side === "input" ? null : "trigger";
  const weight = ({ id }: (typeof GROUPS)[number]) =>
    Number(id === last) - Number(isTool && id === "tool");
  const order = [...GROUPS].sort((one, other) => weight(one) - weight(other));
  const asTools = new Set<TypeSpec>(tools);
  const groups = order.map((group) => ({
    title: group.label,
    specs: sortedForChoice(rest.filter((spec) => spec.group === group.id && !asTools.has(spec))),
  }));
  const others = sortedForChoice(rest.filter((spec) => asTools.has(spec)));
  return [
    { title: "Frequently used", specs: often },
    ...groups,
    { title: "Other nodes as tools", specs: others },
  ].filter((section) => section.specs.length > 0);
}

const STANDING_ORDER = { recommended: 0, regular: 1, compatible: 2, legacy: 3 };

/** The recommended first, n8n's variants of them last, else by name. */
function sortedForChoice(specs: readonly TypeSpec[]): TypeSpec[] {
  const weight = (spec: TypeSpec) => STANDING_ORDER[spec.standing ?? "regular"];
  return [...specs].sort(
    (one, other) => weight(one) - weight(other) || one.name.localeCompare(other.name),
  );
}

/** The types that can take over the connections of a node. */
function fittingTypes(
  workflow: WorkflowDocument,
  catalogue: Catalogue,
  name: string,
): readonly TypeSpec[] {
  const node = findNode(workflow, name);
  if (!node) return [];
  const needed = neededPorts(workflow, catalogue, name);
  const tools = needed.outputs.has(TOOL_KIND) ? newestOfEach(catalogue.tools) : [];
  return [...newestOfEach(catalogue.all), ...tools].filter(
    (spec) => spec.id !== node.type && canReplace(spec, needed),
  );
}

function findRequester(
  fitting: readonly TypeSpec[],
  catalogue: Catalogue,
): OfferedNodes["requester"] {
  const spec = fitting.find(({ standIn, standing }) => standIn && standing !== "legacy");
  if (!spec) return null;
  return { spec, isTool: catalogue.tools.some(({ id }) => id === spec.id) };
}

function replacing(
  query: string,
  workflow: WorkflowDocument,
  fitting: readonly TypeSpec[],
  context: SearchContext,
  name: string,
): OfferedSection[] {
  const node = findNode(workflow, name);
  if (!node) return [];
  const search = (words: string) =>
    searchNodes(fitting, words, null, context).map(({ spec }) => spec);
  if (query.trim() !== "") {
    const found = search(query);
    return found.length > 0 ? [{ title: "Best matches", specs: found.slice(0, MAX_MATCHES) }] : [];
  }
  const alike = search(typeWords(node.type)).slice(0, MAX_FREQUENT);
  const isStandIn = ({ standIn, trigger, standing }: TypeSpec) =>
    standing !== "legacy" && (standIn || (trigger && STAND_IN_TRIGGERS.has(trigger)));
  const standIns = fitting.filter((spec) => isStandIn(spec) && !alike.includes(spec));
  const suggested = [...alike, ...standIns];
  const others = fitting.filter((spec) => spec.standing !== "legacy" && !suggested.includes(spec));
  return [
    { title: "Suggested", specs: suggested },
    { title: "Everything that fits", specs: sortedForChoice(others) },
  ].filter((section) => section.specs.length > 0);
}

/** `google sheets` of `n8n-nodes-base.googleSheetsTool`. */
function typeWords(type: string): string {
  const short = (type.split(".").pop() ?? type).replace(/(Tool|Trigger)$/, "");
  return short
    .replace(/^(lmChat|lm|tool|memory|embeddings)(?=[A-Z])/, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase();
}
