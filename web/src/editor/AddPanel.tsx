/** The search for a node to add: by words, or by family while nothing is typed; only what fits where it was opened. */
import { useEffect, useMemo, useState } from "react";
import { useCatalogue } from "../api/catalogue";
import { kindWord } from "../graph/ports";
import { find, GROUPS, newestOfEach, type Wanted, wantedWords } from "../graph/search";
import type { TypeSpec } from "../graph/spec";
import { Kbd } from "../ui";
import { type AddRequest, useCanvas } from "./canvas";
import { addNodeOf, closeAdd, focusCanvas } from "./commands";
import { NodeTile } from "./NodeTile";
import { listStyles as css, ListGroup, ListLine, SearchedList } from "./SearchedList";
import { useEditor } from "./store";
import { NODE_TYPE } from "./useDropping";
import { uses } from "./uses";

export function AddPanel() {
  const request = useCanvas((state) => state.add);
  return request ? <Panel key={JSON.stringify(request)} request={request} /> : null;
}

interface Section {
  title: string;
  specs: readonly TypeSpec[];
}

function Panel({ request }: { request: AddRequest }) {
  const [query, setQuery] = useState("");
  const wanted = useMemo(() => wantedOf(request), [request]);
  const sections = useSections(query, wanted);
  const flat = sections.flatMap((section) => section.specs);
  const places = new Map(flat.map((spec, index) => [spec, index]));
  // Whoever types faster than the node types come gets what they typed as soon as these are there.
  const [isHasty, setHasty] = useState(false);
  const first = flat[0];
  useEffect(() => {
    if (isHasty && first) addNodeOf(first);
  }, [isHasty, first]);
  const leave = () => {
    closeAdd();
    focusCanvas();
  };
  return (
    <SearchedList
      label="Add a node"
      title={wantedWords(wanted, kindWord)}
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
        if (spec) addNodeOf(spec);
        else setHasty(query !== "");
      }}
      onLeave={leave}
      leavesByTab
      foot={
        <>
          <span>
            <Kbd keys="enter" /> adds
          </span>
          <span>or drag it onto the canvas or a line</span>
        </>
      }
    >
      {(chosen, choose) => (
        <>
          {sections.map((section) => (
            <ListGroup key={section.title} title={section.title}>
              {section.specs.map((spec) => {
                const index = places.get(spec) ?? 0;
                return <Row key={spec.id} spec={spec} index={index} isChosen={index === chosen} onPoint={() => choose(index)} />;
              })}
            </ListGroup>
          ))}
          {flat.length === 0 && <Nothing query={query} wanted={wanted} />}
        </>
      )}
    </SearchedList>
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
    <ListLine
      index={index}
      isChosen={isChosen}
      onPoint={onPoint}
      onTake={() => addNodeOf(spec)}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(NODE_TYPE, spec.id);
        event.dataTransfer.effectAllowed = "copy";
      }}
    >
      <NodeTile type={spec.id} group={spec.group} size={32} />
      <span className={css.words}>
        <span className={css.name}>{spec.name}</span>
        <span className={css.summary}>{spec.summary}</span>
      </span>
    </ListLine>
  );
}

function Nothing({ query, wanted }: { query: string; wanted: Wanted | null }) {
  const catalogue = useCatalogue();
  // Nothing can be said about a name before the node types are there.
  if (catalogue.all.length === 0) return null;
  const what = wanted && wanted.kind !== "main" ? ` that fits here (${kindWord(wanted.kind).toLowerCase()})` : "";
  return (
    <p className={css.nothing}>
      No node{what} is called “{query}”. Try another word, such as the name of the service; any web service can be reached with
      HTTP Request.
    </p>
  );
}

function wantedOf({ place }: AddRequest): Wanted | null {
  if (place.from) return { kind: place.from.kind, side: place.from.side };
  return place.edge ? { kind: place.edge.kind, side: "output" } : null;
}

const OFTEN = 5;

function useSections(query: string, wanted: Wanted | null): Section[] {
  const catalogue = useCatalogue();
  const isEmpty = useEditor((state) => state.workflow.nodes.length === 0);
  const specs = useMemo(() => newestOfEach(catalogue.all), [catalogue]);
  return useMemo(() => {
    const used = uses();
    const found = find(specs, query, wanted, used).map(({ spec }) => spec);
    if (query.trim() !== "") return found.length > 0 ? [{ title: "Best matches", specs: found.slice(0, 40) }] : [];
    const often = isEmpty ? [] : found.filter((spec) => (used.get(spec.id) ?? 0) > 0).slice(0, OFTEN);
    const byName = [...found].sort((one, other) => one.name.localeCompare(other.name));
    // A workflow begins with a trigger; later ones are rare, so they come last.
    const order = isEmpty || wanted?.side === "input" ? GROUPS : [...GROUPS.slice(1), ...GROUPS.slice(0, 1)];
    const groups = order.map((group) => ({
      title: group.label,
      specs: byName.filter((spec) => spec.group === group.id && !often.includes(spec)),
    }));
    return [{ title: "Used often", specs: often }, ...groups].filter((section) => section.specs.length > 0);
  }, [specs, query, wanted, isEmpty]);
}
