/** The search for a node to add: by words, or by family while nothing is typed; only what fits where it was opened. */
import { useEffect, useMemo, useState } from "react";
import { useCatalogue } from "../api/catalogue";
import {
  GROUPS,
  newestOfEach,
  searchNodes,
  type WantedPort,
  wantedLabel,
} from "../graph/nodeSearch";
import { kindLabel } from "../graph/ports";
import type { TypeSpec } from "../graph/typeSpec";
import { NodeIcon } from "../shared/NodeIcon";
import { type AddRequest, useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { Kbd } from "../ui";
import { addNodeOfType, closeAddPanel, focusCanvas } from "./commands";
import { listStyles as css, ListGroup, ListItem, SearchableList } from "./SearchableList";
import { readUsageCounts } from "./usageCounts";
import { NODE_MIME_TYPE } from "./useDropping";

export function AddNodePanel() {
  const request = useCanvas((state) => state.add);
  return request ? <PanelContent key={JSON.stringify(request)} request={request} /> : null;
}

interface Section {
  title: string;
  specs: readonly TypeSpec[];
}

function PanelContent({ request }: { request: AddRequest }) {
  const [query, setQuery] = useState("");
  const wanted = useMemo(() => wantedPort(request), [request]);
  const sections = useSections(query, wanted);
  const flat = sections.flatMap((section) => section.specs);
  const places = new Map(flat.map((spec, index) => [spec, index]));
  // Whoever types faster than the node types come gets what they typed as soon as these are there.
  const [isHasty, setHasty] = useState(false);
  const first = flat[0];
  useEffect(() => {
    if (isHasty && first) addNodeOfType(first);
  }, [isHasty, first]);
  const leave = () => {
    closeAddPanel();
    focusCanvas();
  };
  return (
    <SearchableList
      label="Add node"
      title={wantedLabel(wanted, kindLabel)}
      placeholder="Search nodes"
      searchLabel="Search nodes"
      query={query}
      onQuery={(next) => {
        setQuery(next);
        setHasty(false);
      }}
      count={flat.length}
      onTake={(taken) => {
        const spec = flat[taken];
        if (spec) addNodeOfType(spec);
        else setHasty(query !== "");
      }}
      onLeave={leave}
      leavesByTab
      foot={
        <>
          <span>
            <Kbd keys="enter" /> to add
          </span>
          <span>or drag it onto the canvas or an edge</span>
        </>
      }
    >
      {(chosen, choose) => (
        <>
          {sections.map((section) => (
            <ListGroup key={section.title} title={section.title}>
              {section.specs.map((spec) => {
                const index = places.get(spec) ?? 0;
                return (
                  <Row
                    key={spec.id}
                    spec={spec}
                    index={index}
                    isChosen={index === chosen}
                    onPoint={() => choose(index)}
                  />
                );
              })}
            </ListGroup>
          ))}
          {flat.length === 0 && <NoMatches query={query} wanted={wanted} />}
        </>
      )}
    </SearchableList>
  );
}

interface RowProps {
  spec: TypeSpec;
  index: number;
  isChosen: boolean;
  onPoint: () => void;
}

function Row({ spec, index, isChosen, onPoint }: RowProps) {
  return (
    <ListItem
      index={index}
      isChosen={isChosen}
      onPoint={onPoint}
      onTake={() => addNodeOfType(spec)}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(NODE_MIME_TYPE, spec.id);
        event.dataTransfer.effectAllowed = "copy";
      }}
    >
      <NodeIcon type={spec.id} spec={spec} size={32} />
      <span className={css.words}>
        <span className={css.name}>{spec.name}</span>
        <span className={css.summary}>{spec.summary}</span>
      </span>
    </ListItem>
  );
}

function NoMatches({ query, wanted }: { query: string; wanted: WantedPort | null }) {
  const catalogue = useCatalogue();
  // Nothing can be said about a name before the node types are there.
  if (catalogue.all.length === 0) return null;
  const what =
    wanted && wanted.kind !== "main"
      ? ` for this port (${kindLabel(wanted.kind).toLowerCase()})`
      : "";
  return (
    <p className={css.nothing}>
      No nodes{what} match “{query}”. Try another term, such as the name of the service. HTTP
      Request can call any web API.
    </p>
  );
}

function wantedPort({ place }: AddRequest): WantedPort | null {
  if (place.from) return { kind: place.from.kind, side: place.from.side };
  return place.edge ? { kind: place.edge.kind, side: "output" } : null;
}

const MAX_FREQUENT = 5;

function useSections(query: string, wanted: WantedPort | null): Section[] {
  const catalogue = useCatalogue();
  const isEmpty = useEditor((state) => state.workflow.nodes.length === 0);
  const isForTool = wanted?.kind === "ai_tool" && wanted.side === "input";
  const specs = useMemo(
    () => newestOfEach([...catalogue.all, ...(isForTool ? catalogue.tools() : [])]),
    [catalogue, isForTool],
  );
  return useMemo(() => {
    const used = readUsageCounts();
    const found = searchNodes(specs, query, wanted, used).map(({ spec }) => spec);
    if (query.trim() !== "")
      return found.length > 0 ? [{ title: "Best matches", specs: found.slice(0, 40) }] : [];
    const often = isEmpty
      ? []
      : found.filter((spec) => (used.get(spec.id) ?? 0) > 0).slice(0, MAX_FREQUENT);
    const byName = [...found].sort((one, other) => one.name.localeCompare(other.name));
    // A workflow begins with a trigger; later ones are rare, so they come last.
    const order =
      isEmpty || wanted?.side === "input" ? GROUPS : [...GROUPS.slice(1), ...GROUPS.slice(0, 1)];
    const groups = order.map((group) => ({
      title: group.label,
      specs: byName.filter((spec) => spec.group === group.id && !often.includes(spec)),
    }));
    return [{ title: "Frequently used", specs: often }, ...groups].filter(
      (section) => section.specs.length > 0,
    );
  }, [specs, query, wanted, isEmpty]);
}
