// The drawer under the canvas: what a run did (Logs), what its agents did (Timeline), a chat to try the workflow with, and what is
// wrong with the document (Problems). Folded, it is a line that says how the last run stands.

import {
  ChevronDown,
  ChevronUp,
  ListChecks,
  ListTree,
  MessagesSquare,
  Route,
  Square,
  TriangleAlert,
} from "lucide-react";
import { type KeyboardEvent, lazy, type PointerEvent, Suspense, useRef } from "react";
import { Link } from "wouter";
import { urlPath } from "../api/url";
import { elapsed, isOver } from "../run/runView";
import { useNow } from "../run/useNow";
import { RunBanner } from "../runner/RunBanner";
import { stopRun, useRunWatch } from "../runner/runControl";
import { type DrawerTab, HEADER_HEIGHT, MIN_HEIGHT, useDrawer } from "../store/drawerStore";
import { useEditor } from "../store/editorStore";
import { Button, duration, ErrorBoundary, IconButton, Loading, StatusMark, Tabs } from "../ui";
import css from "./Drawer.module.css";
import { LogsTab } from "./LogsTab";
import { ProblemsTab } from "./ProblemsTab";
import { useProblems } from "./useProblems";

// Most visits need neither, and the first load is smaller without them.
const TimelineTab = lazy(() => import("../timeline/TimelineTab"));
const loadChat = () => import("../chat/ChatPane");
const ChatPane = lazy(loadChat);

export function Drawer() {
  const { tab, isOpen, height, show, setOpen, requestMessage } = useDrawer();
  const { problems } = useProblems();
  const workflowId = useEditor((state) => state.workflow.id);
  const nSteps = useEditor((state) => state.run?.nodes.size);
  const tabs = [
    { id: "logs", label: "Logs", icon: ListTree, count: nSteps || undefined },
    { id: "timeline", label: "Timeline", icon: Route },
    { id: "chat", label: "Chat", icon: MessagesSquare },
    { id: "problems", label: "Problems", icon: TriangleAlert, count: problems.length || undefined },
  ];
  return (
    <section
      className={css.drawer}
      aria-label="Run"
      style={{ height: isOpen ? height : undefined }}
      data-open={isOpen}
      // The chat is fetched before its tab is clicked, so that its field takes the first key that is pressed.
      onPointerEnter={() => void loadChat()}
      onFocus={() => void loadChat()}
    >
      {isOpen && <ResizeHandle />}
      <ErrorBoundary what="The run status bar" place="bar">
        <RunBanner />
      </ErrorBoundary>
      <header className={css.head} style={{ flexBasis: HEADER_HEIGHT }}>
        <Tabs
          label="Run"
          value={isOpen ? tab : ""}
          onChange={(id) => show(id as DrawerTab)}
          // Whoever opens the chat wants to write; keys without a field would be the canvas's.
          onEnter={(id) => id === "chat" && requestMessage()}
          tabs={tabs}
          className={css.tabs}
        />
        <RunSummary />
        {workflowId && (
          <Link href={urlPath`/executions?workflow=${workflowId}`} asChild>
            <IconButton icon={ListChecks} label="All executions of this workflow" size="small" />
          </Link>
        )}
        <IconButton
          icon={isOpen ? ChevronDown : ChevronUp}
          label={isOpen ? "Collapse drawer" : "Expand drawer"}
          size="small"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        />
      </header>
      {isOpen && (
        <div
          className={css.body}
          role="tabpanel"
          aria-label={tabs.find((one) => one.id === tab)?.label}
        >
          <ErrorBoundary what={TAB_NAMES[tab]} resetKey={tab}>
            <Suspense fallback={<Loading />}>
              {tab === "logs" && <LogsTab />}
              {tab === "timeline" && <TimelineTab />}
              {tab === "chat" && <ChatPane />}
              {tab === "problems" && <ProblemsTab />}
            </Suspense>
          </ErrorBoundary>
        </div>
      )}
    </section>
  );
}

const TAB_NAMES: Record<DrawerTab, string> = {
  logs: "The log",
  timeline: "The timeline",
  chat: "The chat",
  problems: "The problem list",
};

/** How the run stands and how long it has taken, with the button that stops it. */
function RunSummary() {
  const run = useEditor((state) => state.run);
  const isStopping = useRunWatch((state) => state.isStopping);
  const isGoing = run !== null && !isOver(run);
  const now = useNow(isGoing && run.status === "running");
  if (!run) return <span className={css.summary} />;
  return (
    <span className={css.summary} role="status">
      {run.status === "listening" ? (
        <StatusMark status="waiting" />
      ) : (
        <StatusMark status={run.status} />
      )}
      {run.status !== "listening" && (
        <span className={css.time}>{duration(elapsed(run, now))}</span>
      )}
      {isGoing && (
        <Button size="small" icon={Square} busy={isStopping} onClick={() => void stopRun()}>
          {run.status === "listening" ? "Stop listening" : "Stop"}
        </Button>
      )}
    </span>
  );
}

const RESIZE_STEP = 24;

/** The upper edge, which is dragged or moved with the arrow keys. */
function ResizeHandle() {
  const { height, setHeight, setOpen } = useDrawer();
  const from = useRef({ y: 0, height: 0 });
  const change = (next: number) => setHeight(Math.min(next, window.innerHeight * 0.8));
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    from.current = { y: event.clientY, height };
  };
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const next = from.current.height + from.current.y - event.clientY;
    if (next < MIN_HEIGHT / 2) setOpen(false);
    else change(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowUp: RESIZE_STEP, ArrowDown: -RESIZE_STEP }[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    change(height + step);
  };
  return (
    <div
      role="separator"
      aria-label="Drawer height"
      aria-orientation="horizontal"
      aria-valuenow={height}
      aria-valuemin={MIN_HEIGHT}
      tabIndex={0}
      className={css.grip}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onKeyDown={onKeyDown}
    />
  );
}
