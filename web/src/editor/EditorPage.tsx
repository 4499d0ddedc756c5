/** The page of one workflow: top bar, canvas, the panel of an open node and the drawer below. Also shows an execution over its document. */

import { useQuery } from "@tanstack/react-query";
import { ReactFlowProvider } from "@xyflow/react";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { useParams } from "wouter";
import { useMayChange } from "../api/session";
import { DraftBar } from "../drafts/DraftBar";
import { findDrafts } from "../drafts/offer";
import { Drawer } from "../drawer/Drawer";
import { normalDocument } from "../graph/normal";
import { useActions } from "../palette/actions";
import { ExecutionBar } from "../run/ExecutionBar";
import { fetchDocument } from "../run/execution";
import { forget, openRun } from "../run/start";
import { Boundary, Loading, Page, Problem } from "../ui";
import { AddPanel } from "./AddPanel";
import { editorActions } from "./actions";
import { Canvas } from "./Canvas";
import { ConnectPanel } from "./ConnectPanel";
import { useCanvas } from "./canvas";
import css from "./EditorPage.module.css";
import { forgetOpened, isOpened, openDocument, workflowQuery } from "./open";
import { forgetFirstSaved, isFirstSaved } from "./save";
import { useEditor } from "./store";
import { TopBar } from "./TopBar";
import { useLeaveGuard } from "./useLeaveGuard";
import { VersionBar } from "./VersionBar";
import { Versions } from "./Versions";
import { fit } from "./view";

export { openEarly } from "./open";

// The panel brings the code editor along, which most first looks at a canvas do not need.
const NodePanel = lazy(() => import("../panel/NodePanel").then((module) => ({ default: module.NodePanel })));

export default function EditorPage() {
  const { id = "new", execution } = useParams<{ id: string; execution?: string }>();
  const [isHere] = useState(() => isFirstSaved(id) || isOpened(id));
  useEffect(() => {
    return () => forgetHere();
  }, []);
  const loaded = useQuery({ ...workflowQuery(id), enabled: !isHere });
  const isThere = useEditor((state) => state.saved?.id === id || (id === "new" && state.savedVersion === null));
  const isViewer = !useMayChange();
  useEffect(() => {
    if (loaded.data) openDocument(id, loaded.data, isViewer);
  }, [loaded.data, id, isViewer]);
  useEffect(() => {
    return () => forget();
  }, []);
  if (loaded.error) {
    return (
      <Page title="Workflow">
        <Problem error={loaded.error} onRetry={() => void loaded.refetch()} />
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

/** The next visit of this address loads its workflow again. */
function forgetHere() {
  forgetFirstSaved();
  forgetOpened();
}

function Editor({ execution }: { execution: string | undefined }) {
  const name = useEditor((state) => state.workflow.name);
  const isDirty = useEditor((state) => state.dirty);
  const open = useEditor((state) => state.open);
  const panel = useCanvas((state) => state.panel);
  const shown = useExecutionShown(execution);
  useLeaveGuard();
  useEffect(() => {
    void findDrafts();
  }, []);
  useActions(useMemo(editorActions, []));
  useEffect(() => {
    document.title = `${isDirty ? "• " : ""}${name} · Heddle`;
  }, [name, isDirty]);
  return (
    <main className={css.editor}>
      <Boundary what="The top bar" place="bar">
        <TopBar />
      </Boundary>
      <Boundary what="This bar" place="bar" resetKey={execution}>
        <DraftBar />
        <VersionBar />
        {execution && <ExecutionBar id={execution} />}
      </Boundary>
      {shown.error ? (
        <div className={css.problem}>
          <Problem error={shown.error} onRetry={shown.again} />
        </div>
      ) : (
        <div className={css.body}>
          <div className={css.middle}>
            <div className={css.canvas}>
              <Boundary what="The canvas">
                <Canvas />
              </Boundary>
              <Boundary what="The search for nodes" place="over" onClose={closeSearch}>
                <AddPanel />
                <ConnectPanel />
              </Boundary>
            </div>
            <Boundary what="The drawer" place="bar">
              <Drawer />
            </Boundary>
            <Boundary what="The node panel" place="over" resetKey={open} onClose={closePanel}>
              <Suspense fallback={null}>{open !== null && <NodePanel />}</Suspense>
            </Boundary>
          </div>
          <Boundary what="The list of versions" place="over" resetKey={panel} onClose={closeSide}>
            {panel === "versions" && <Versions />}
          </Boundary>
        </div>
      )}
    </main>
  );
}

const closeSearch = () => useCanvas.setState({ add: null, connect: null });
const closePanel = () => useEditor.getState().openNode(null);
const closeSide = () => useCanvas.setState({ panel: null });

/** An execution is shown over the document as it was then; when the page goes back to the workflow, so does the draft. */
function useExecutionShown(execution: string | undefined) {
  const query = useQuery({
    queryKey: ["execution-document", execution],
    queryFn: async () => {
      const [document] = await Promise.all([fetchDocument(execution ?? ""), openRun(execution ?? "")]);
      return normalDocument(document);
    },
    enabled: execution !== undefined,
    gcTime: 0,
  });
  useEffect(() => {
    if (!execution || !query.data) return;
    const { workflow, draft, show } = useEditor.getState();
    const { nodes, connections, settings, pinData } = query.data;
    show({ ...(draft ?? workflow), nodes, connections, settings, pinData }, { kind: "execution", id: execution });
    requestAnimationFrame(fit);
    return () => useEditor.getState().endShow();
  }, [execution, query.data]);
  return { error: execution ? query.error : null, again: () => void query.refetch() };
}
