/** Connecting without a pointer: a list of what the chosen node can be joined with, what it is joined with, and what is out of question. */
import { Plug, Search, Unplug, X } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { nodeOf } from "../graph/document";
import { disconnect, edgeKey } from "../graph/edges";
import { type Join, type Joined, joinsOf, matching } from "../graph/joins";
import { cx, IconButton, Kbd } from "../ui";
import css from "./AddPanel.module.css";
import { useCanvas } from "./canvas";
import { focusCanvas } from "./commands";
import { NodeTile } from "./NodeTile";
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
  const [at, setAt] = useState(0);
  const list = useRef<HTMLDivElement>(null);
  const joins = useMemo(() => joinsOf(workflow, (node) => ports.get(node), name), [workflow, ports, name]);
  const possible = matching(joins.possible, query).map((join): Line => ({ join }));
  const present = matching(joins.present, query).map((joined): Line => ({ joined }));
  const refused = matching(joins.refused, query);
  const lines = [...possible, ...present];
  const chosen = Math.min(at, lines.length - 1);
  useEffect(() => {
    list.current?.querySelector(`[data-index="${chosen}"]`)?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(lines.length - 1, chosen + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      const line = lines[chosen];
      if (line) take(line);
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      close();
    }
  };
  const row = (line: Line, index: number) => (
    <Row
      key={"join" in line ? JSON.stringify([line.join.own, line.join.other]) : edgeKey(line.joined.edge)}
      line={line}
      index={index}
      isChosen={index === chosen}
      onPoint={() => setAt(index)}
    />
  );
  return (
    <aside className={css.panel} aria-label={`Connect ${name}`} onKeyDown={onKeyDown}>
      <header className={css.head}>
        <h2>Connect “{name}”</h2>
        <IconButton icon={X} label="Close" size="small" onClick={close} />
      </header>
      <div className={css.search}>
        <Search size={15} aria-hidden />
        <input
          value={query}
          placeholder="Search nodes of this workflow"
          role="combobox"
          aria-label="Node to connect with"
          aria-expanded="true"
          aria-controls="connect-list"
          aria-activedescendant={lines.length > 0 ? `connect-${chosen}` : undefined}
          autoFocus
          spellCheck={false}
          onChange={(event) => {
            setQuery(event.target.value);
            setAt(0);
          }}
        />
      </div>
      <div id="connect-list" ref={list} className={css.list} role="listbox" aria-label="Connections" tabIndex={-1}>
        {possible.length > 0 && <Group title="Can be connected">{possible.map((line, index) => row(line, index))}</Group>}
        {present.length > 0 && (
          <Group title="Connected: choosing one takes the connection away">
            {present.map((line, index) => row(line, possible.length + index))}
          </Group>
        )}
        {refused.length > 0 && (
          <Group title="Cannot be connected">
            {refused.map(({ node, reason }) => (
              <div key={node} role="option" tabIndex={-1} aria-selected={false} aria-disabled className={css.refused}>
                <span className={css.name}>{node}</span>
                <span className={css.reason}>{reason}</span>
              </div>
            ))}
          </Group>
        )}
        {lines.length + refused.length === 0 && (
          <p className={css.nothing}>
            {query === "" ? "There is no other node. Add one first, with Tab." : `No node is called “${query}”.`}
          </p>
        )}
      </div>
      <footer className={css.foot}>
        <span>
          <Kbd keys="enter" /> connects or takes away
        </span>
        <span>
          <Kbd keys="esc" /> leaves
        </span>
      </footer>
    </aside>
  );
}

function Group({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div role="group" aria-label={title}>
      <div className={css.title} aria-hidden>
        {title}
      </div>
      {children}
    </div>
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
    <div
      id={`connect-${index}`}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      data-index={index}
      className={cx(css.row, isChosen && css.chosen)}
      onPointerMove={onPoint}
      onClick={() => take(line)}
      onKeyDown={(event) => event.key === "Enter" && take(line)}
    >
      <NodeTile type={type} group={group} size={28} />
      <span className={css.words}>
        <span className={css.name}>{node}</span>
        <span className={css.summary}>{text}</span>
      </span>
      <Sign className={css.sign} size={14} aria-hidden />
    </div>
  );
}
