/** The head of the panel: what node it is, its name to be changed, its neighbours, and the button that runs it. */

import { ChevronLeft, ChevronRight, MessagesSquare, Play, Square, X } from "lucide-react";
import { useState } from "react";
import { useDrawer } from "../drawer/state";
import { useCanvas } from "../editor/canvas";
import { renameNode } from "../editor/commands";
import { NodeTile } from "../editor/NodeTile";
import { useEditor } from "../editor/store";
import { useForm } from "../fields/form";
import { refuseName } from "../graph/document";
import type { WorkflowNode } from "../graph/types";
import { runTo, stopRun, useWatch } from "../run/start";
import { isOver } from "../run/view";
import { Badge, Button, IconButton, Menu } from "../ui";
import type { Surroundings } from "./neighbours";
import css from "./Panel.module.css";

interface PanelHeadProps {
  node: WorkflowNode;
  around: Surroundings;
  onClose: () => void;
}

export function PanelHead({ node, around, onClose }: PanelHeadProps) {
  const { type, readOnly } = useForm();
  const openNode = useEditor((state) => state.openNode);
  return (
    <header className={css.head}>
      <Neighbours names={around.previous} side="left" onOpen={openNode} />
      <NodeTile type={node.type} group={type?.group} size={32} />
      <div className={css.title}>
        <Name key={node.name} name={node.name} readOnly={readOnly} />
        <span className={css.kind}>{type?.name ?? node.type}</span>
      </div>
      {node.disabled && <Badge>Switched off</Badge>}
      <span className={css.space} />
      {!readOnly && <StepButton node={node} root={around.root} />}
      <Neighbours names={around.next} side="right" onOpen={openNode} />
      <IconButton icon={X} label="Close" shortcut="Esc" onClick={onClose} />
    </header>
  );
}

function Neighbours({
  names,
  side,
  onOpen,
}: {
  names: readonly string[];
  side: "left" | "right";
  onOpen: (name: string) => void;
}) {
  const icon = side === "left" ? ChevronLeft : ChevronRight;
  const shortcut = side === "left" ? "Alt+←" : "Alt+→";
  const [only, ...more] = names;
  if (only === undefined) return <IconButton icon={icon} label={side === "left" ? "No node before" : "No node after"} disabled />;
  if (more.length === 0)
    return <IconButton icon={icon} label={`Open ${only}`} shortcut={shortcut} onClick={() => onOpen(only)} />;
  const label = side === "left" ? "Nodes before" : "Nodes after";
  return (
    <Menu
      trigger={<IconButton icon={icon} label={label} shortcut={shortcut} />}
      items={names.map((name) => ({ label: name, onSelect: () => onOpen(name) }))}
    />
  );
}

function Name({ name, readOnly }: { name: string; readOnly: boolean }) {
  const [text, setText] = useState(name);
  const reason = refuseName(useEditor.getState().workflow, name, text);
  const take = () => {
    if (reason || text.trim() === name) setText(name);
    else renameNode(name, text);
  };
  return (
    <>
      <input
        className={css.name}
        value={text}
        readOnly={readOnly}
        aria-label="Name of the node"
        aria-invalid={reason !== null || undefined}
        size={Math.max(6, Math.min(40, text.length + 1))}
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.key === "Enter") event.currentTarget.blur();
          if (event.key === "Escape" && text !== name) {
            setText(name);
            event.stopPropagation();
          }
        }}
      />
      {reason && text !== name && (
        <span className={css.reason} role="alert">
          {reason}
        </span>
      )}
    </>
  );
}

/** Starts this step, or stops what runs. A chat begins with words, so its trigger leads to the chat instead. */
export function StepButton({ node, root }: { node: WorkflowNode; root: string }) {
  const status = useEditor((state) => state.run?.nodes.get(node.name)?.at(-1)?.status);
  const running = useEditor((state) => state.run !== null && !isOver(state.run));
  const isStarting = useWatch((state) => state.isStarting);
  const isStopping = useWatch((state) => state.isStopping);
  // A model or a tool that nothing uses has no step that could run.
  const isAlone = useCanvas((state) => state.ports.get(node.name)?.shape === "circle") && root === node.name;
  if (running && !isStarting) {
    return (
      <Button icon={Square} busy={isStopping} onClick={() => void stopRun()}>
        {status === "running" ? "Stop" : "Stop run"}
      </Button>
    );
  }
  if (isAlone) {
    return (
      <Button icon={Play} disabled title="This node serves another one. Connect it to a node that uses it, then run that.">
        Test step
      </Button>
    );
  }
  if (CHAT_TRIGGER.test(node.type)) {
    return (
      <Button kind="primary" icon={MessagesSquare} onClick={openChat}>
        Open chat
      </Button>
    );
  }
  return (
    <Button kind="primary" icon={Play} busy={isStarting} onClick={() => void runTo(root)} title="Ctrl+Enter">
      {stepWords(node, root)}
    </Button>
  );
}

/** What the button does, in words. */
function stepWords(node: WorkflowNode, root: string): string {
  if (root !== node.name) return `Run ${root}`;
  return LISTENER.test(node.type) ? "Listen for a call" : "Test step";
}

/** Triggers that begin with a call from outside. */
const LISTENER = /\.(webhook|formTrigger)$/;
const CHAT_TRIGGER = /chatTrigger$/i;

function openChat() {
  useEditor.getState().openNode(null);
  useDrawer.getState().show("chat");
}
