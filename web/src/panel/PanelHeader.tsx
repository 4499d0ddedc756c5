/** The head of the panel: what node it is, its name to be changed, its neighbours, and the button that runs it. */

import { ChevronLeft, ChevronRight, MessagesSquare, Play, Square, X } from "lucide-react";
import { useState } from "react";
import type { WorkflowNode } from "../api/workflowDocument";
import { nameProblem } from "../graph/document";
import type { TypeSpec } from "../graph/typeSpec";
import { isOver } from "../run/runView";
import { runToNode, stopRun, useRunWatch } from "../runner/runControl";
import { NodeIcon } from "../shared/NodeIcon";
import { useCanvas } from "../store/canvasStore";
import { useDrawer } from "../store/drawerStore";
import { renameNode } from "../store/editCommands";
import { useEditor } from "../store/editorStore";
import { useForm } from "../store/formContext";
import { useStoppingProblem } from "../store/stoppingProblem";
import { Badge, Button, IconButton, Menu } from "../ui";
import type { NodeContext } from "./nodeContext";
import css from "./Panel.module.css";

interface PanelHeaderProps {
  node: WorkflowNode;
  around: NodeContext;
  onClose: () => void;
}

export function PanelHeader({ node, around, onClose }: PanelHeaderProps) {
  const { type, readOnly } = useForm();
  const openNode = useEditor((state) => state.openNode);
  return (
    <header className={css.head}>
      <Neighbours names={around.previous} side="left" onOpen={openNode} />
      <NodeIcon type={node.type} spec={type} size={32} />
      <div className={css.title}>
        <NodeName key={node.name} name={node.name} readOnly={readOnly} />
        <span className={css.kind}>{type?.name ?? node.type}</span>
      </div>
      {node.disabled && <Badge>Disabled</Badge>}
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
  if (only === undefined)
    return (
      <IconButton
        icon={icon}
        label={side === "left" ? "No previous node" : "No next node"}
        disabled
      />
    );
  if (more.length === 0)
    return (
      <IconButton
        icon={icon}
        label={`Open ${only}`}
        shortcut={shortcut}
        onClick={() => onOpen(only)}
      />
    );
  const label = side === "left" ? "Previous nodes" : "Next nodes";
  return (
    <Menu
      trigger={<IconButton icon={icon} label={label} shortcut={shortcut} />}
      items={names.map((name) => ({ label: name, onSelect: () => onOpen(name) }))}
    />
  );
}

function NodeName({ name, readOnly }: { name: string; readOnly: boolean }) {
  const [text, setText] = useState(name);
  const reason = nameProblem(useEditor.getState().workflow, name, text);
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
        aria-label="Node name"
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
  const isStarting = useRunWatch((state) => state.isStarting);
  const isStopping = useRunWatch((state) => state.isStopping);
  // A model or a tool that nothing uses has no step that could run.
  const isAlone =
    useCanvas((state) => state.ports.get(node.name)?.shape === "circle") && root === node.name;
  const stopping = useStoppingProblem(root);
  const trigger = useCanvas(({ types }) => types.find(node.type)?.trigger);
  if (running && !isStarting) {
    return (
      <Button icon={Square} busy={isStopping} onClick={() => void stopRun()}>
        {status === "running" ? "Stop" : "Stop execution"}
      </Button>
    );
  }
  if (isAlone) {
    return (
      <Button
        icon={Play}
        disabled
        title="This is a sub-node. Connect it to a node that uses it, then run that node."
      >
        Test step
      </Button>
    );
  }
  if (stopping) {
    return (
      <Button
        icon={Play}
        disabled
        title={[stopping.message, stopping.hint].filter(Boolean).join(". ")}
      >
        {stepLabel(node, root, trigger)}
      </Button>
    );
  }
  if (trigger === "chat" || trigger === "manualChat") {
    return (
      <Button kind="primary" icon={MessagesSquare} onClick={openChat}>
        Open chat
      </Button>
    );
  }
  return (
    <Button
      kind="primary"
      icon={Play}
      busy={isStarting}
      onClick={() => void runToNode(root)}
      title="Ctrl+Enter"
    >
      {stepLabel(node, root, trigger)}
    </Button>
  );
}

/** What the button does, in words. */
function stepLabel(node: WorkflowNode, root: string, trigger: TypeSpec["trigger"]): string {
  if (root !== node.name) return `Run ${root}`;
  // These begin with a call from outside.
  return trigger === "webhook" || trigger === "form" ? "Listen for test event" : "Test step";
}

function openChat() {
  useEditor.getState().openNode(null);
  useDrawer.getState().show("chat");
}
