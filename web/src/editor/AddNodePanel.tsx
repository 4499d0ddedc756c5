/** The search for a node to add or to take the place of another: by words, or by family while nothing is typed; only what fits there. */
import { Braces } from "lucide-react";
import { useEffect, useState } from "react";
import { useCatalogue } from "../api/catalogue";
import { type WantedPort, wantedLabel } from "../graph/nodeSearch";
import { kindLabel } from "../graph/ports";
import type { TypeSpec } from "../graph/typeSpec";
import { NodeIcon } from "../shared/NodeIcon";
import { type AddRequest, setOpensNewNodes, useCanvas } from "../store/canvasStore";
import { Badge, Checkbox, Kbd } from "../ui";
import { ApiOperationPanel } from "./ApiOperationPanel";
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
  const [isFromApi, setFromApi] = useState(false);
  const offered = useOfferedNodes(query, request);
  const flat = offered.sections.flatMap((section) => section.specs);
  const { requester } = offered;
  const offersApi = requester !== null && isAboutApis(query);
  // It stands among the suggestions, before everything else that fits.
  const apiAt = offersApi ? (offered.sections[0]?.specs.length ?? 0) : Number.POSITIVE_INFINITY;
  const places = new Map(flat.map((spec, index) => [spec, index + Number(index >= apiAt)]));
  const sections =
    offersApi && flat.length === 0 ? [{ title: "Suggested", specs: [] }] : offered.sections;
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
  if (isFromApi && requester && replace !== undefined) {
    return <ApiOperationPanel name={replace} {...requester} onBack={() => setFromApi(false)} />;
  }
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
      count={flat.length + Number(offersApi)}
      onTake={(taken) => {
        if (taken === apiAt) return setFromApi(true);
        const spec = flat[taken > apiAt ? taken - 1 : taken];
        if (spec) take(spec);
        else setHasty(query !== "" && replace === undefined);
      }}
      onLeave={leave}
      onFocusOut={closeAddPanel}
      foot={replace === undefined ? <AddingFoot /> : <ReplacingFoot />}
    >
      {(chosen, choose) => (
        <>
          {sections.map((section, at) => (
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
              {at === 0 && offersApi && (
                <ApiRow
                  index={apiAt}
                  isChosen={chosen === apiAt}
                  onPoint={() => choose(apiAt)}
                  onTake={() => setFromApi(true)}
                />
              )}
            </ListGroup>
          ))}
          {flat.length === 0 && !offersApi && <NoMatches query={query} offered={offered} />}
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

/** Words by which the choice is found beside the nodes. */
const API_WORDS = "use an api description openapi swagger import operation service";

function isAboutApis(query: string): boolean {
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => API_WORDS.includes(word));
}

function ApiRow(props: Omit<RowProps, "spec" | "isDraggable">) {
  return (
    <ListItem {...props}>
      <span className={css.mark}>
        <Braces size={18} aria-hidden />
      </span>
      <span className={css.words}>
        <span className={css.name}>Use an API description</span>
        <span className={css.summary}>Pick an operation from an OpenAPI document</span>
      </span>
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
