/** Connecting without a pointer: a list of what the chosen node can be joined with, what it is joined with, and what is out of question. */
import { Plug, Unplug } from "lucide-react";
import { useMemo, useState } from "react";
import { nodeOf } from "../graph/document";
import { disconnect, edgeKey } from "../graph/edges";
import { type Join, type Joined, joinsOf, matching } from "../graph/joins";
import { Kbd } from "../ui";
import { useCanvas } from "./canvas";
import { focusCanvas } from "./commands";
import { NodeTile } from "./NodeTile";
import { listStyles as css, ListGroup, ListLine, SearchedList } from "./SearchedList";
import { useEditor } from "./store";
import { join } from "./useConnecting";

export function ConnectPanel() {
  const name = useCanvas((state) => state.connect);
  const isThere = useEditor((state) => name !== null && !state.readOnly && nodeOf(state.workflow, name) !== undefined);
  return name !== null && isThere ? <Panel key={name} name={name} /> : null;
}

type Line = { join: Join } | { joined: Joined };

function close() {
  useCanvas.setState({ connect: null });
  focusCanvas();
}

function take(line: Line) {
  if ("join" in line) join(line.join.own, line.join.other);
  else useEditor.getState().change("Disconnect", (document) => disconnect(document, line.joined.edge));
  close();
}

function Panel({ name }: { name: string }) {
  const workflow = useEditor((state) => state.workflow);
  const ports = useCanvas((state) => state.ports);
  const [query, setQuery] = useState("");
  const joins = useMemo(() => joinsOf(workflow, (node) => ports.get(node), name), [workflow, ports, name]);
  const possible = matching(joins.possible, query).map((join): Line => ({ join }));
  const present = matching(joins.present, query).map((joined): Line => ({ joined }));
  const refused = matching(joins.refused, query);
  const lines = [...possible, ...present];
  const row = (line: Line, index: number, chosen: number, choose: (index: number) => void) => (
    <Row
      key={"join" in line ? JSON.stringify([line.join.own, line.join.other]) : edgeKey(line.joined.edge)}
      line={line}
      index={index}
      isChosen={index === chosen}
      onPoint={() => choose(index)}
    />
  );
  return (
    <SearchedList
      label={`Connect ${name}`}
      title={`Connect “${name}”`}
      placeholder="Search nodes of this workflow"
      searchLabel="Node to connect with"
      query={query}
      onQuery={setQuery}
      count={lines.length}
      onTake={(index) => {
        const line = lines[index];
        if (line) take(line);
      }}
      onLeave={close}
      foot={
        <>
          <span>
            <Kbd keys="enter" /> connects or takes away
          </span>
          <span>
            <Kbd keys="esc" /> leaves
          </span>
        </>
      }
    >
      {(chosen, choose) => (
        <>
          {possible.length > 0 && (
            <ListGroup title="Can be connected">{possible.map((line, index) => row(line, index, chosen, choose))}</ListGroup>
          )}
          {present.length > 0 && (
            <ListGroup title="Connected: choosing one takes the connection away">
              {present.map((line, index) => row(line, possible.length + index, chosen, choose))}
            </ListGroup>
          )}
          {refused.length > 0 && (
            <ListGroup title="Cannot be connected">
              {refused.map(({ node, reason }) => (
                <div key={node} role="option" tabIndex={-1} aria-selected={false} aria-disabled className={css.refused}>
                  <span className={css.name}>{node}</span>
                  <span className={css.reason}>{reason}</span>
                </div>
              ))}
            </ListGroup>
          )}
          {lines.length + refused.length === 0 && (
            <p className={css.nothing}>
              {query === "" ? "There is no other node. Add one first, with Tab." : `No node is called “${query}”.`}
            </p>
          )}
        </>
      )}
    </SearchedList>
  );
}

interface RowProps {
  line: Line;
  index: number;
  isChosen: boolean;
  onPoint: () => void;
}

function Row({ line, index, isChosen, onPoint }: RowProps) {
  const { node, text } = "join" in line ? line.join : line.joined;
  const type = useEditor((state) => nodeOf(state.workflow, node)?.type ?? "");
  const group = useCanvas((state) => state.types.find(type)?.group);
  const Sign = "join" in line ? Plug : Unplug;
  return (
    <ListLine index={index} isChosen={isChosen} onPoint={onPoint} onTake={() => take(line)}>
      <NodeTile type={type} group={group} size={28} />
      <span className={css.words}>
        <span className={css.name}>{node}</span>
        <span className={css.summary}>{text}</span>
      </span>
      <Sign className={css.sign} size={14} aria-hidden />
    </ListLine>
  );
}
