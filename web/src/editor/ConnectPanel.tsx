/** Connecting without a pointer: a list of what the chosen node can be joined with, what it is joined with, and what is out of question. */
import { Plug, Unplug } from "lucide-react";
import { useMemo, useState } from "react";
import {
  type ExistingConnection,
  filterByQuery,
  listConnectOptions,
  type PossibleConnection,
} from "../graph/connectable";
import { findNode } from "../graph/document";
import { disconnect, edgeKey } from "../graph/edges";
import { NodeIcon } from "../shared/NodeIcon";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { Kbd } from "../ui";
import { focusCanvas } from "./commands";
import { listStyles as css, ListGroup, ListItem, SearchableList } from "./SearchableList";
import { connectEnds } from "./useConnecting";

export function ConnectPanel() {
  const name = useCanvas((state) => state.connect);
  const isThere = useEditor(
    (state) => name !== null && !state.readOnly && findNode(state.workflow, name) !== undefined,
  );
  return name !== null && isThere ? <PanelContent key={name} name={name} /> : null;
}

type ConnectRow = { join: PossibleConnection } | { joined: ExistingConnection };

function close() {
  useCanvas.setState({ connect: null });
  focusCanvas();
}

function applyRow(line: ConnectRow) {
  if ("join" in line) connectEnds(line.join.own, line.join.other);
  else
    useEditor.getState().change("Disconnect", (document) => disconnect(document, line.joined.edge));
  close();
}

function PanelContent({ name }: { name: string }) {
  const workflow = useEditor((state) => state.workflow);
  const ports = useCanvas((state) => state.ports);
  const [query, setQuery] = useState("");
  const joins = useMemo(
    () => listConnectOptions(workflow, (node) => ports.get(node), name),
    [workflow, ports, name],
  );
  const possible = filterByQuery(joins.possible, query).map((join): ConnectRow => ({ join }));
  const present = filterByQuery(joins.present, query).map((joined): ConnectRow => ({ joined }));
  const refused = filterByQuery(joins.refused, query);
  const lines = [...possible, ...present];
  const row = (
    line: ConnectRow,
    index: number,
    chosen: number,
    choose: (index: number) => void,
  ) => (
    <Row
      key={
        "join" in line
          ? JSON.stringify([line.join.own, line.join.other])
          : edgeKey(line.joined.edge)
      }
      line={line}
      index={index}
      isChosen={index === chosen}
      onPoint={() => choose(index)}
    />
  );
  return (
    <SearchableList
      label={`Connect ${name}`}
      title={`Connect “${name}”`}
      placeholder="Search nodes in this workflow"
      searchLabel="Node to connect with"
      query={query}
      onQuery={setQuery}
      count={lines.length}
      onTake={(index) => {
        const line = lines[index];
        if (line) applyRow(line);
      }}
      onLeave={close}
      foot={
        <>
          <span>
            <Kbd keys="enter" /> to connect or disconnect
          </span>
          <span>
            <Kbd keys="esc" /> to close
          </span>
        </>
      }
    >
      {(chosen, choose) => (
        <>
          {possible.length > 0 && (
            <ListGroup title="Available">
              {possible.map((line, index) => row(line, index, chosen, choose))}
            </ListGroup>
          )}
          {present.length > 0 && (
            <ListGroup title="Connected (select to disconnect)">
              {present.map((line, index) => row(line, possible.length + index, chosen, choose))}
            </ListGroup>
          )}
          {refused.length > 0 && (
            <ListGroup title="Not compatible">
              {refused.map(({ node, reason }) => (
                <div
                  key={node}
                  role="option"
                  tabIndex={-1}
                  aria-selected={false}
                  aria-disabled
                  className={css.refused}
                >
                  <span className={css.name}>{node}</span>
                  <span className={css.reason}>{reason}</span>
                </div>
              ))}
            </ListGroup>
          )}
          {lines.length + refused.length === 0 && (
            <p className={css.nothing}>
              {query === ""
                ? "No other nodes. Press Tab to add one."
                : `No nodes match “${query}”.`}
            </p>
          )}
        </>
      )}
    </SearchableList>
  );
}

interface RowProps {
  line: ConnectRow;
  index: number;
  isChosen: boolean;
  onPoint: () => void;
}

function Row({ line, index, isChosen, onPoint }: RowProps) {
  const { node, text } = "join" in line ? line.join : line.joined;
  const type = useEditor((state) => findNode(state.workflow, node)?.type ?? "");
  const spec = useCanvas((state) => state.types.find(type));
  const Sign = "join" in line ? Plug : Unplug;
  return (
    <ListItem index={index} isChosen={isChosen} onPoint={onPoint} onTake={() => applyRow(line)}>
      <NodeIcon type={type} spec={spec} size={28} />
      <span className={css.words}>
        <span className={css.name}>{node}</span>
        <span className={css.summary}>{text}</span>
      </span>
      <Sign className={css.sign} size={14} aria-hidden />
    </ListItem>
  );
}
