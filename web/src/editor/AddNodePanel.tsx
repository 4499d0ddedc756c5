/** The search for a node to add or to take the place of another: by words, or by family while nothing is typed; only what fits there. */
import { useEffect, useState } from "react";
import { useCatalogue } from "../api/catalogue";
import { type WantedPort, wantedLabel } from "../graph/nodeSearch";
import { kindLabel } from "../graph/ports";
import type { TypeSpec } from "../graph/typeSpec";
import { NodeIcon } from "../shared/NodeIcon";
import { type AddRequest, setOpensNewNodes, useCanvas } from "../store/canvasStore";
import { Badge, Checkbox, Kbd } from "../ui";
import { type OfferedNodes, useOfferedNodes } from "./addableNodes";
import { addNodeOfType, closeAddPanel, focusCanvas, replaceNodeWith } from "./commands";
import { loadNodePanel } from "./loadNodePanel";
import { listStyles as css, ListGroup, ListItem, SearchableList } from "./SearchableList";
import { NODE_MIME_TYPE } from "./useDropping";

export function AddNodePanel() {
  const request = useCanvas((state) => state.add);
  const isOpen = request !== null;
  useEffect(() => {
    if (isOpen) void loadNodePanel();
  }, [isOpen]);
  return request ? <PanelContent key={JSON.stringify(request)} request={request} /> : null;
}

function PanelContent({ request }: { request: AddRequest }) {
  const { replace } = request;
  const [query, setQuery] = useState("");
  const offered = useOfferedNodes(query, request);
  const flat = offered.sections.flatMap((section) => section.specs);
  const places = new Map(flat.map((spec, index) => [spec, index]));
  const take = (spec: TypeSpec) =>
    replace === undefined ? addNodeOfType(spec) : void replaceNodeWith(replace, spec);
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
      label={replace === undefined ? "Add node" : "Replace node"}
      title={
        replace === undefined ? wantedLabel(offered.wanted, kindLabel) : `Replace “${replace}”`
      }
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
        if (spec) take(spec);
        else setHasty(query !== "" && replace === undefined);
      }}
      onLeave={leave}
      onFocusOut={closeAddPanel}
      foot={replace === undefined ? <AddingFoot /> : <ReplacingFoot />}
    >
      {(chosen, choose) => (
        <>
          {offered.sections.map((section) => (
            <ListGroup key={section.title} title={section.title}>
              {section.specs.map((spec) => {
                const index = places.get(spec) ?? 0;
                return (
                  <Row
                    key={spec.id}
                    spec={spec}
                    index={index}
                    isChosen={index === chosen}
                    isDraggable={replace === undefined}
                    onPoint={() => choose(index)}
                    onTake={() => take(spec)}
                  />
                );
              })}
            </ListGroup>
          ))}
          {flat.length === 0 && <NoMatches query={query} offered={offered} />}
        </>
      )}
    </SearchableList>
  );
}

function AddingFoot() {
  const opens = useCanvas((state) => state.opensNewNodes);
  return (
    <>
      <span>
        <Kbd keys="enter" /> to add, or drag it onto the canvas or an edge
      </span>
      <Checkbox checked={opens} label="Open it after adding" onChange={setOpensNewNodes} />
    </>
  );
}

function ReplacingFoot() {
  return (
    <span>
      <Kbd keys="enter" /> to replace. Name, place and connections stay.
    </span>
  );
}

interface RowProps {
  spec: TypeSpec;
  index: number;
  isChosen: boolean;
  isDraggable: boolean;
  onPoint: () => void;
  onTake: () => void;
}

function Row({ spec, index, isChosen, isDraggable, onPoint, onTake }: RowProps) {
  return (
    <ListItem
      index={index}
      isChosen={isChosen}
      onPoint={onPoint}
      onTake={onTake}
      draggable={isDraggable}
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
      <StandingBadge standing={spec.standing} />
    </ListItem>
  );
}

/** Tells apart nodes that do the same. */
function StandingBadge({ standing }: Pick<TypeSpec, "standing">) {
  if (standing === "recommended") return <Badge tone="good">Recommended</Badge>;
  if (standing === "compatible") return <Badge>As in n8n</Badge>;
  return standing === "legacy" ? <Badge>Older</Badge> : null;
}

function NoMatches({ query, offered }: { query: string; offered: OfferedNodes }) {
  const catalogue = useCatalogue();
  // Nothing can be said about a name before the node types are there.
  if (catalogue.all.length === 0) return null;
  return (
    <p className={css.nothing}>
      No nodes{portWords(offered.wanted)} match “{query}”. Try another term, such as the name of the
      service. HTTP Request can call any web API.
    </p>
  );
}

function portWords(wanted: WantedPort | null): string {
  return wanted && wanted.kind !== "main"
    ? ` for this port (${kindLabel(wanted.kind).toLowerCase()})`
    : "";
}
