/** The search for a node to add: by words, or by family while nothing is typed; only what fits where it was opened. */
import { Search, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { useCatalogue } from "../api/catalogue";
import { kindWord } from "../graph/ports";
import { find, GROUPS, newestOfEach, type Wanted, wantedWords } from "../graph/search";
import type { TypeSpec } from "../graph/spec";
import { cx, IconButton, Kbd } from "../ui";
import css from "./AddPanel.module.css";
import { type AddRequest, useCanvas } from "./canvas";
import { addNodeOf, closeAdd, focusCanvas } from "./commands";
import { NodeTile } from "./NodeTile";
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
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const wanted = useMemo(() => wantedOf(request), [request]);
  const sections = useSections(query, wanted);
  const flat = sections.flatMap((section) => section.specs);
  const chosen = Math.min(at, flat.length - 1);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${chosen}"]`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  // Whoever types faster than the node types come gets what they typed as soon as these are there.
  const [isHasty, setHasty] = useState(false);
  const first = flat[0];
  useEffect(() => {
    if (isHasty && first) addNodeOf(first);
  }, [isHasty, first]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(flat.length - 1, chosen + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      const spec = flat[chosen];
      if (spec) addNodeOf(spec);
      else setHasty(query !== "");
    } else if (event.key === "Escape" || (event.key === "Tab" && query === "")) {
      event.preventDefault();
      event.stopPropagation();
      closeAdd();
      focusCanvas();
    }
  };
  let index = -1;
  return (
    <aside className={css.panel} aria-label="Add a node" onKeyDown={onKeyDown}>
      <header className={css.head}>
        <h2>{wantedWords(wanted, kindWord)}</h2>
        <IconButton icon={X} label="Close" size="small" onClick={closeAdd} />
      </header>
      <div className={css.search}>
        <Search size={15} aria-hidden />
        <input
          value={query}
          placeholder="Search nodes"
          role="combobox"
          aria-label="Search nodes"
          aria-expanded="true"
          aria-controls="add-list"
          aria-activedescendant={flat.length > 0 ? `add-${chosen}` : undefined}
          autoFocus
          spellCheck={false}
          onChange={(event) => {
            setQuery(event.target.value);
            setAt(0);
            setHasty(false);
          }}
        />
      </div>
      <div id="add-list" ref={list} className={css.list} role="listbox" aria-label="Nodes" tabIndex={-1}>
        {sections.map((section) => (
          <div key={section.title} role="group" aria-label={section.title}>
            <div className={css.title} aria-hidden>
              {section.title}
            </div>
            {section.specs.map((spec) => {
              index += 1;
              const mine = index;
              return <Row key={spec.id} spec={spec} index={mine} isChosen={mine === chosen} onPoint={() => setAt(mine)} />;
            })}
          </div>
        ))}
        {flat.length === 0 && <Nothing query={query} wanted={wanted} />}
      </div>
      <footer className={css.foot}>
        <span>
          <Kbd keys="enter" /> adds
        </span>
        <span>or drag it onto the canvas or a line</span>
      </footer>
    </aside>
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
    <div
      id={`add-${index}`}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      data-index={index}
      className={cx(css.row, isChosen && css.chosen)}
      draggable
      onDragStart={(event) => {
        event.dataTransfer.setData(NODE_TYPE, spec.id);
        event.dataTransfer.effectAllowed = "copy";
      }}
      onPointerMove={onPoint}
      onClick={() => addNodeOf(spec)}
      onKeyDown={(event) => event.key === "Enter" && addNodeOf(spec)}
    >
      <NodeTile type={spec.id} group={spec.group} size={32} />
      <span className={css.words}>
        <span className={css.name}>{spec.name}</span>
        <span className={css.summary}>{spec.summary}</span>
      </span>
    </div>
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
