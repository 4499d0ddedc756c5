/** The page of one workflow: top bar, canvas, the panel of an open node and the drawer below. Also shows an execution over its document. */

import { useQuery } from "@tanstack/react-query";
import { ReactFlowProvider } from "@xyflow/react";
import { Compass } from "lucide-react";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { useLocation, useParams } from "wouter";
import { ApiError } from "../api/client";
import { useCanEdit } from "../api/session";
import { DraftBar } from "../drafts/DraftBar";
import { offerDraft } from "../drafts/restoreOffer";
import { Drawer } from "../drawer/Drawer";
import { normalizeDocument } from "../graph/normalize";
import { useRegisterActions } from "../palette/actionRegistry";
import { fetchExecutedWorkflow } from "../run/executionActions";
import { showExecution, stopFollowing } from "../runner/runControl";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { clearJustCreated, wasJustCreated } from "../store/saveWorkflow";
import {
  Button,
  EmptyState,
  ErrorBoundary,
  ErrorState,
  Loading,
  Page,
  useIsNarrow,
  usePageTitle,
} from "../ui";
import { AddNodePanel } from "./AddNodePanel";
import { Canvas } from "./Canvas";
import { ConnectPanel } from "./ConnectPanel";
import css from "./EditorPage.module.css";
import { ExecutionBar } from "./ExecutionBar";
import { ExecutionsPanel } from "./ExecutionsPanel";
import { editorActions } from "./editorActions";
import { loadNodePanel } from "./loadNodePanel";
import { clearPreopened, isPreopened, openDocument, workflowQuery } from "./openWorkflow";
import { TopBar } from "./TopBar";
import { useLeaveGuard } from "./useLeaveGuard";
import { VersionBar } from "./VersionBar";
import { VersionsPanel } from "./VersionsPanel";
import { fitView } from "./viewControls";

export { preopenWorkflow } from "./openWorkflow";

const NodePanel = lazy(loadNodePanel);

export default function EditorPage() {
  const { id = "new", execution } = useParams<{ id: string; execution?: string }>();
  const [isHere] = useState(() => wasJustCreated(id) || isPreopened(id));
  useEffect(() => {
    return () => forgetOpenedWorkflow();
  }, []);
  const loaded = useQuery({ ...workflowQuery(id), enabled: !isHere });
  const isThere = useEditor(
    (state) => state.saved?.id === id || (id === "new" && state.savedVersion === null),
  );
  const isViewer = !useCanEdit();
  useEffect(() => {
    if (loaded.data) openDocument(id, loaded.data, isViewer);
  }, [loaded.data, id, isViewer]);
  useEffect(() => {
    return () => stopFollowing();
  }, []);
  if (loaded.error instanceof ApiError && loaded.error.status === 404) return <MissingWorkflow />;
  if (loaded.error) {
    return (
      <Page title="Workflow">
        <ErrorState error={loaded.error} onRetry={() => void loaded.refetch()} />
      </Page>
    );
  }
  if ((!loaded.data && !isHere) || !isThere) return <Loading />;
  return (
    <ReactFlowProvider key={id}>
      <Editor execution={execution} />
    </ReactFlowProvider>
  );
}

function MissingWorkflow() {
  const [, go] = useLocation();
  return (
    <Page title="Not found">
      <EmptyState
        icon={Compass}
        title="Workflow not found"
        text="It was deleted, or it is in a project that you are not a member of."
        action={<Button onClick={() => go("/workflows")}>Open workflows</Button>}
      />
    </Page>
  );
}

/** The next visit of this address loads its workflow again. */
function forgetOpenedWorkflow() {
  clearJustCreated();
  clearPreopened();
}

function Editor({ execution }: { execution: string | undefined }) {
  const name = useEditor((state) => state.workflow.name);
  const id = useEditor((state) => state.workflow.id);
  const isDirty = useEditor((state) => state.dirty);
  const isNarrow = useIsNarrow(LIST_AND_CANVAS);
  const open = useEditor((state) => state.open);
  const panel = useCanvas((state) => state.panel);
  const shown = useShownExecution(execution);
  useLeaveGuard();
  useEffect(() => {
    void offerDraft();
  }, []);
  useRegisterActions(useMemo(editorActions, []));
  usePageTitle(`${isDirty ? "• " : ""}${name}`);
  return (
    <main className={css.editor} data-open={open ?? undefined}>
      <ErrorBoundary what="The top bar" place="bar">
        <TopBar />
      </ErrorBoundary>
      <ErrorBoundary what="This bar" place="bar" resetKey={execution}>
        <DraftBar />
        <VersionBar />
        {execution && <ExecutionBar id={execution} />}
      </ErrorBoundary>
      {shown.error ? (
        <div className={css.problem}>
          <ErrorState error={shown.error} onRetry={shown.again} />
        </div>
      ) : (
        <div className={css.body}>
          {execution && id && !isNarrow && (
            <ErrorBoundary what="The list of executions">
              <ExecutionsPanel workflow={id} shown={execution} />
            </ErrorBoundary>
          )}
          <div className={css.middle}>
            <div className={css.canvas}>
              <ErrorBoundary what="The canvas">
                <Canvas />
              </ErrorBoundary>
              <ErrorBoundary what="The node search" place="over" onClose={closeSearch}>
                <AddNodePanel />
                <ConnectPanel />
              </ErrorBoundary>
            </div>
            <ErrorBoundary what="The drawer" place="bar">
              <Drawer />
            </ErrorBoundary>
            <ErrorBoundary what="The node panel" place="over" resetKey={open} onClose={closePanel}>
              <Suspense fallback={null}>{open !== null && <NodePanel />}</Suspense>
            </ErrorBoundary>
          </div>
          <ErrorBoundary
            what="The version list"
            place="over"
            resetKey={panel}
            onClose={closeSidePanel}
          >
            {panel === "versions" && <VersionsPanel />}
          </ErrorBoundary>
        </div>
      )}
    </main>
  );
}

/** Below this width an execution has the page for itself. */
const LIST_AND_CANVAS = 1000;

const closeSearch = () => useCanvas.setState({ add: null, connect: null });
const closePanel = () => useEditor.getState().openNode(null);
const closeSidePanel = () => useCanvas.setState({ panel: null });

/** An execution is shown over the document as it was then; when the page goes back to the workflow, so does the draft. */
function useShownExecution(execution: string | undefined) {
  const query = useQuery({
    queryKey: ["execution-document", execution],
    queryFn: async () => {
      const [document] = await Promise.all([
        fetchExecutedWorkflow(execution ?? ""),
        showExecution(execution ?? ""),
      ]);
      return normalizeDocument(document);
    },
    enabled: execution !== undefined,
    gcTime: 0,
  });
  useEffect(() => {
    if (!execution || !query.data) return;
    const { workflow, draft, show } = useEditor.getState();
    const { nodes, connections, settings, pinData } = query.data;
    show(
      { ...(draft ?? workflow), nodes, connections, settings, pinData },
      { kind: "execution", id: execution },
    );
    requestAnimationFrame(fitView);
  }, [execution, query.data]);
  const isShown = execution !== undefined;
  // From one execution to another the draft stays behind both.
  useEffect(() => {
    if (!isShown) return;
    return () => useEditor.getState().stopShowing();
  }, [isShown]);
  return { error: execution ? query.error : null, again: () => void query.refetch() };
}
