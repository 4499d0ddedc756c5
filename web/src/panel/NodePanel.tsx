/** The panel of a node, over the canvas: input, settings and output beside each other. The editor places it once; it shows while a node is open. */

import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from "react";
import type { WorkflowNode } from "../api/workflowDocument";
import { findNode } from "../graph/document";
import { RunBanner } from "../runner/RunBanner";
import { runToNode } from "../runner/runControl";
import { useEditor } from "../store/editorStore";
import { FormContext } from "../store/formContext";
import { ErrorBoundary, Skeleton, SplitPane, Tabs, useIsNarrow } from "../ui";
import { DocsTab } from "./DocsTab";
import { InputColumn } from "./InputColumn";
import { getNodeContext } from "./nodeContext";
import { OutputColumn } from "./OutputColumn";
import css from "./Panel.module.css";
import { PanelHeader } from "./PanelHeader";
import { ParametersTab } from "./ParametersTab";
import { SettingsTab } from "./SettingsTab";
import { useNodeForm } from "./useNodeForm";
import { usePanelKeys } from "./usePanelKeys";

export function NodePanel() {
  const open = useEditor((state) => state.open);
  const node = useEditor((state) => (open === null ? undefined : findNode(state.workflow, open)));
  // One that is renamed keeps its id, so its panel stays as it is.
  return node ? <NodePanelContent key={node.id ?? node.name} node={node} /> : null;
}

type Tab = "agent" | "parameters" | "settings" | "docs";

/** The strict agent is read in tabs of its own, beside its parameters. */
const STRICT_AGENT = "agent-core-react";
const StrictTabs = lazy(async () => ({
  default: (await import("../timeline/StrictAgentTabs")).StrictAgentTabs,
}));

function NodePanelContent({ node }: { node: WorkflowNode }) {
  const connections = useEditor((state) => state.workflow.connections);
  const nodes = useEditor((state) => state.workflow.nodes);
  const openNode = useEditor((state) => state.openNode);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these parts of the document decide who is around.
  const around = useMemo(
    () => getNodeContext(useEditor.getState().workflow, node.name),
    [connections, nodes.length, node.name],
  );
  const [tab, setTab] = useState<Tab>(node.type === STRICT_AGENT ? "agent" : "parameters");
  const [run, setRun] = useState<number | null>(null);
  const form = useNodeForm(node, around, run);
  const frame = useRef<HTMLDivElement>(null);
  const close = () => openNode(null);

  // The panel takes the focus when it opens and gives it back where it came from.
  useEffect(() => {
    const before = document.activeElement;
    frame.current?.focus({ preventScroll: true });
    return () => {
      if (useEditor.getState().open === null && before instanceof HTMLElement && before.isConnected)
        before.focus({ preventScroll: true });
    };
  }, []);

  const onKeyDown = usePanelKeys(frame, {
    close,
    previous: around.previous,
    next: around.next,
    open: openNode,
    run: () => {
      if (!form.readOnly) void runToNode(around.root);
    },
  });

  const hasInput =
    around.before.length > 0 || (form.type?.inputs.some((port) => port.kind === "main") ?? true);
  const input =
    hasInput && form.type?.group !== "trigger" ? (
      <ErrorBoundary what="The input">
        <InputColumn node={node.name} around={around} ownRun={run} />
      </ErrorBoundary>
    ) : null;
  const output = (
    <ErrorBoundary what="The output">
      <OutputColumn node={node} root={around.root} chosenRun={run} onRun={setRun} />
    </ErrorBoundary>
  );
  const middle = (
    <section className={css.middle} aria-label="Settings">
      <Tabs
        className={css.tabs}
        value={tab}
        onChange={(id) => setTab(id as Tab)}
        tabs={[
          ...(node.type === STRICT_AGENT ? [{ id: "agent", label: "Agent" }] : []),
          { id: "parameters", label: "Parameters" },
          { id: "settings", label: "Settings" },
          { id: "docs", label: "Docs" },
        ]}
        label="Node tabs"
      />
      <div
        className={css.scroll}
        data-document-fields={tab === "parameters" || tab === "settings" || undefined}
      >
        <ErrorBoundary what="This tab" resetKey={tab}>
          {tab === "agent" && (
            <Suspense fallback={<Skeleton lines={6} />}>
              <StrictTabs node={node.name} />
            </Suspense>
          )}
          {tab === "parameters" && <ParametersTab node={node} />}
          {tab === "settings" && <SettingsTab node={node} />}
          {tab === "docs" && <DocsTab type={node.type} version={node.typeVersion} />}
        </ErrorBoundary>
      </div>
    </section>
  );
  return (
    <FormContext value={form}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a click beside the panel closes it. */}
      <div
        className={css.shade}
        onClick={(event) => event.target === event.currentTarget && close()}
      >
        <div
          ref={frame}
          className={css.panel}
          role="dialog"
          aria-label={`Node ${node.name}`}
          tabIndex={-1}
          onKeyDown={onKeyDown}
        >
          <PanelHeader node={node} around={around} onClose={close} />
          <RunBanner />
          <Columns input={input} middle={middle} output={output} />
        </div>
      </div>
    </FormContext>
  );
}

/** Three columns where there is room, one at a time where there is not. */
function Columns({
  input,
  middle,
  output,
}: {
  input: ReactNode;
  middle: ReactNode;
  output: ReactNode;
}) {
  const narrow = useIsNarrow(ONE_COLUMN);
  const [shown, setShown] = useState("middle");
  if (narrow) {
    const tabs = [
      ...(input ? [{ id: "input", label: "Input" }] : []),
      { id: "middle", label: "Node" },
      { id: "output", label: "Output" },
    ];
    return (
      <div className={css.single}>
        <Tabs className={css.tabs} value={shown} onChange={setShown} tabs={tabs} label="Columns" />
        {shown === "input" ? input : shown === "output" ? output : middle}
      </div>
    );
  }
  const right = (
    <SplitPane
      direction="row"
      initial={-RIGHT}
      min={260}
      max={1400}
      share={0.62}
      storageKey="panel.output"
      label="Output width"
    >
      {[middle, output]}
    </SplitPane>
  );
  return (
    <div className={css.columns}>
      {input ? (
        <SplitPane
          direction="row"
          initial={LEFT}
          min={240}
          max={1200}
          share={0.45}
          storageKey="panel.input"
          label="Input width"
        >
          {[input, right]}
        </SplitPane>
      ) : (
        right
      )}
    </div>
  );
}

/** What the columns begin with: a share of the window, within what can be read. */
const columnWidth = (part: number, least: number, most: number) =>
  Math.round(Math.min(most, Math.max(least, window.innerWidth * part)));
const LEFT = columnWidth(0.25, 264, 560);
const RIGHT = columnWidth(0.29, 296, 680);
/** Below this width one column is shown at a time. */
const ONE_COLUMN = 959;
