/** The versions that were saved: look at one, see what has changed since, bring it back. */

import { useQuery } from "@tanstack/react-query";
import { History, X } from "lucide-react";
import { api } from "../api/client";
import { urlPath } from "../api/url";
import type { Connections, WorkflowDocument, WorkflowNode } from "../api/workflowDocument";
import { normalizeDocument } from "../graph/normalize";
import { useCanvas } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { errorSentences } from "../store/saveWorkflow";
import { cx, EmptyState, ErrorState, IconButton, Skeleton, Time, toast } from "../ui";
import css from "./VersionsPanel.module.css";
import { fitView } from "./viewControls";

export interface VersionRow {
  versionId: string;
  authors: string;
  name: string | null;
  description: string | null;
  createdAt: string;
}

const PAGE_SIZE = 100;

export function VersionsPanel() {
  const id = useEditor((state) => state.workflow.id);
  const savedVersion = useEditor((state) => state.savedVersion);
  const activeVersion = useEditor((state) =>
    state.workflow.active ? state.workflow.activeVersionId : null,
  );
  const shown = useEditor((state) => (state.shown?.kind === "version" ? state.shown.id : null));
  const history = useQuery({
    queryKey: ["workflow-history", id, savedVersion],
    queryFn: () => api.get<VersionRow[]>(urlPath`/workflows/${id}/history`, { take: PAGE_SIZE }),
    enabled: id !== undefined,
  });
  return (
    <aside className={css.panel} aria-label="Versions">
      <header className={css.head}>
        <h2>Versions</h2>
        <IconButton
          icon={X}
          label="Close"
          size="small"
          onClick={() => useCanvas.setState({ panel: null })}
        />
      </header>
      {history.error ? (
        <ErrorState error={history.error} onRetry={() => void history.refetch()} />
      ) : history.isPending && id ? (
        <Skeleton lines={6} />
      ) : !history.data?.length ? (
        <EmptyState
          icon={History}
          title="No versions yet"
          text="Every save creates a version you can restore."
        />
      ) : (
        <ul className={css.list}>
          {history.data.map((row, index) => (
            <li key={row.versionId}>
              <button
                type="button"
                className={cx(css.row, shown === row.versionId && css.chosen)}
                aria-current={shown === row.versionId || undefined}
                onClick={() => void showVersion(row)}
              >
                <span className={css.name}>
                  {row.name || (index === 0 ? "Latest" : `Version ${history.data.length - index}`)}
                </span>
                <span className={css.about}>
                  <Time at={row.createdAt} />
                  {row.authors && ` · ${row.authors}`}
                </span>
                {row.description && <span className={css.about}>{row.description}</span>}
                {activeVersion === row.versionId && <span className={css.active}>Active</span>}
              </button>
            </li>
          ))}
          {history.data.length === PAGE_SIZE && (
            <li className={css.about}>Showing the latest {PAGE_SIZE} versions.</li>
          )}
        </ul>
      )}
    </aside>
  );
}

/** Shows a version in place of the draft, which waits. */
async function showVersion(row: VersionRow) {
  const { workflow, draft, show } = useEditor.getState();
  const base = draft ?? workflow;
  try {
    const answer = await api.get<{ nodes: WorkflowNode[] | null; connections: Connections | null }>(
      urlPath`/workflows/${base.id}/versions/${row.versionId}`,
    );
    const version: WorkflowDocument = normalizeDocument({
      ...base,
      nodes: answer.nodes ?? [],
      connections: answer.connections ?? {},
      pinData: {},
    });
    useCanvas.setState({ difference: null });
    show(version, {
      kind: "version",
      id: row.versionId,
      compare: false,
      at: row.createdAt,
      document: version,
    });
    requestAnimationFrame(fitView);
  } catch (error) {
    toast({ text: `Could not load version. ${errorSentences(error)}`, tone: "bad" });
  }
}
