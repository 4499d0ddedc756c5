/** The panel of a node, over the canvas: input, settings and output beside each other. The editor places it once; it shows while a node is open. */

import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from "react";
import { useEditor } from "../editor/store";
import { FormContext } from "../fields/form";
import { nodeOf } from "../graph/document";
import type { WorkflowNode } from "../graph/types";
import { RunBanner } from "../run/RunBanner";
import { runTo } from "../run/start";
import { Boundary, Skeleton, Split, Tabs, useNarrow } from "../ui";
import { DocsTab } from "./DocsTab";
import { InputColumn } from "./InputColumn";
import { surroundings } from "./neighbours";
import { OutputColumn } from "./OutputColumn";
import css from "./Panel.module.css";
import { PanelHead } from "./PanelHead";
import { ParametersTab } from "./ParametersTab";
import { SettingsTab } from "./SettingsTab";
import { useNodeForm } from "./use-form";
import { usePanelKeys } from "./use-keys";

export function NodePanel() {
  const open = useEditor((state) => state.open);
  const node = useEditor((state) => (open === null ? undefined : nodeOf(state.workflow, open)));
  // One that is renamed keeps its id, so its panel stays as it is.
  return node ? <Opened key={node.id ?? node.name} node={node} /> : null;
}

type Tab = "agent" | "parameters" | "settings" | "docs";

/** The strict agent is read in tabs of its own, beside its parameters. */
const STRICT_AGENT = "agent-core-react";
const StrictTabs = lazy(async () => ({ default: (await import("../timeline/StrictTabs")).StrictTabs }));

function Opened({ node }: { node: WorkflowNode }) {
  const connections = useEditor((state) => state.workflow.connections);
  const nodes = useEditor((state) => state.workflow.nodes);
  const openNode = useEditor((state) => state.openNode);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only these parts of the document decide who is around.
  const around = useMemo(() => surroundings(useEditor.getState().workflow, node.name), [connections, nodes.length, node.name]);
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
      if (!form.readOnly) void runTo(around.root);
    },
  });

  const hasInput = around.before.length > 0 || (form.type?.inputs.some((port) => port.kind === "main") ?? true);
  const input =
    hasInput && form.type?.group !== "trigger" ? (
      <Boundary what="The input">
        <InputColumn node={node.name} around={around} ownRun={run} />
      </Boundary>
    ) : null;
  const output = (
    <Boundary what="The output">
      <OutputColumn node={node} root={around.root} chosenRun={run} onRun={setRun} />
    </Boundary>
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
        label="Parts of the node"
      />
      <div className={css.scroll}>
        <Boundary what="This tab" resetKey={tab}>
          {tab === "agent" && (
            <Suspense fallback={<Skeleton lines={6} />}>
              <StrictTabs node={node.name} />
            </Suspense>
          )}
          {tab === "parameters" && <ParametersTab node={node} />}
          {tab === "settings" && <SettingsTab node={node} />}
          {tab === "docs" && <DocsTab type={node.type} version={node.typeVersion} />}
        </Boundary>
      </div>
    </section>
  );
  return (
    <FormContext value={form}>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same. */}
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a click beside the panel closes it. */}
      <div className={css.shade} onClick={(event) => event.target === event.currentTarget && close()}>
        <div ref={frame} className={css.panel} role="dialog" aria-label={`Node ${node.name}`} tabIndex={-1} onKeyDown={onKeyDown}>
          <PanelHead node={node} around={around} onClose={close} />
          <RunBanner />
          <Columns input={input} middle={middle} output={output} />
        </div>
      </div>
    </FormContext>
  );
}

/** Three columns where there is room, one at a time where there is not. */
function Columns({ input, middle, output }: { input: ReactNode; middle: ReactNode; output: ReactNode }) {
  const narrow = useNarrow(ONE_COLUMN);
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
    <Split
      direction="row"
      initial={-RIGHT}
      min={260}
      max={1400}
      share={0.62}
      storageKey="panel.output"
      label="Width of the output"
    >
      {[middle, output]}
    </Split>
  );
  return (
    <div className={css.columns}>
      {input ? (
        <Split
          direction="row"
          initial={LEFT}
          min={240}
          max={1200}
          share={0.45}
          storageKey="panel.input"
          label="Width of the input"
        >
          {[input, right]}
        </Split>
      ) : (
        right
      )}
    </div>
  );
}

/** What the columns begin with: a share of the window, within what can be read. */
const share = (part: number, least: number, most: number) =>
  Math.round(Math.min(most, Math.max(least, window.innerWidth * part)));
const LEFT = share(0.25, 264, 560);
const RIGHT = share(0.29, 296, 680);
/** Below this width one column is shown at a time. */
const ONE_COLUMN = 959;
