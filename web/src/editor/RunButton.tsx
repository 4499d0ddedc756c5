/** The button that runs the workflow, with a menu where there are several triggers to start from; while it runs, the one that stops it. */
import { ChevronDown, Play, Square } from "lucide-react";
import { useCatalogue } from "../api/catalogue";
import { isOver } from "../run/runView";
import { stopRun, useRunWatch } from "../runner/runControl";
import { iconOf } from "../shared/nodeIcons";
import { useEditor } from "../store/editorStore";
import { Button, IconButton, Menu, Tooltip, useIsNarrow } from "../ui";
import { runWorkflow } from "./commands";
import css from "./RunButton.module.css";

/** Up to here there is only room for the sign. */
const PHONE_WIDTH = 560;

export function RunButton() {
  const nodes = useEditor((state) => state.workflow.nodes);
  const isGoing = useEditor(
    (state) => state.run !== null && state.run.source === "live" && !isOver(state.run),
  );
  const { isStarting, isStopping } = useRunWatch();
  const catalogue = useCatalogue();
  const isNarrow = useIsNarrow(PHONE_WIDTH);
  const triggers = nodes.filter(
    (node) => !node.disabled && catalogue.find(node.type, node.typeVersion)?.group === "trigger",
  );
  if (isGoing) {
    return (
      <Button icon={Square} busy={isStopping} onClick={() => void stopRun()}>
        Stop
      </Button>
    );
  }
  const canRun = nodes.some((node) => !node.disabled);
  return (
    <div className={css.pair}>
      <Tooltip text={canRun ? "Run workflow" : "Add a node first"} shortcut="mod+enter">
        <Button
          kind="primary"
          icon={Play}
          busy={isStarting}
          disabled={!canRun}
          onClick={() => runWorkflow()}
        >
          {isNarrow ? <span className="visually-hidden">Run workflow</span> : "Run workflow"}
        </Button>
      </Tooltip>
      {triggers.length > 1 && (
        <Menu
          trigger={<IconButton icon={ChevronDown} label="Select trigger" kind="primary" />}
          items={triggers.map((node) => ({
            label: `Run from ${node.name}`,
            icon: iconOf(node.type, catalogue.find(node.type, node.typeVersion)),
            onSelect: () => runWorkflow(node.name),
          }))}
        />
      )}
    </div>
  );
}
