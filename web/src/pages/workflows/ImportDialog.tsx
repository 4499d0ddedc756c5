/** Takes workflows in: from a file, from what was copied, or from an address; with a report before anything is created. */

import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { urlPath } from "../../api/url";
import type { WorkflowDocument } from "../../api/workflowDocument";
import { fetchCredentials } from "../../credentials/credentialApi";
import { withKnownCredentials } from "../../graph/credentialRefs";
import { DocumentSource, type DocumentWords } from "../../shared/DocumentSource";
import { isUrl } from "../../shared/isUrl";
import layout from "../../shared/layout.module.css";
import { ProjectField } from "../../shared/ProjectField";
import { Button, Dialog, ErrorState, plural, Skeleton, toast, useAsyncAction } from "../../ui";
import type { Compatibility } from "../../workflows/compatibility";
import { checkWorkflow, createWorkflow, fetchWorkflow } from "../../workflows/workflowApi";
import { CompatibilityReport } from "./CompatibilityReport";
import { parseImport } from "./parseImport";

const WORDS: DocumentWords = {
  file: "Workflow file",
  accept: ".json,application/json",
  fileHint: "JSON exported from n8n or Heddle, with one or more workflows",
  text: "Workflow as JSON",
  textHint: "Nodes copied from Heddle or n8n, or the content of an exported file.",
  urlHint: "URL of a JSON file, for example in a repository. The server fetches up to 5 MB.",
  action: "Check",
  fetchAction: "Fetch and check",
};

interface Props {
  onClose: () => void;
  /** The project and folder that are open. */
  place: { projectId: string | null; folderId: string | null };
  /** A file that was dropped on the page already. */
  dropped?: File | null;
}

/** A workflow that was read, and what the server says about it; nothing where it could not tell. */
interface ImportedWorkflow {
  document: WorkflowDocument;
  report: Compatibility | null;
}

export function ImportDialog({ onClose, place, dropped }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const [found, setFound] = useState<ImportedWorkflow[] | null>(null);
  const [project, setProject] = useState<string>();
  const [, go] = useLocation();
  const task = useAsyncAction();

  const read = async (text: string, name?: string) => {
    const incoming = parseImport(text, name);
    if ("problem" in incoming) throw new Error(incoming.problem);
    // A report that cannot be made does not keep anybody from importing.
    const reports = incoming.documents.map(async (document) => ({
      document,
      report: await checkWorkflow(document).catch(() => null),
    }));
    setFound(await Promise.all(reports));
  };
  const takeFile = (file: File) =>
    task.run(async () => read(await file.text(), file.name.replace(/\.json$/i, "")));
  const takeUrl = (url: string) => {
    if (!isUrl(url)) return setProblem("Enter a URL that starts with https:// or http://.");
    setProblem(null);
    void task.run(async () => read(JSON.stringify(await fetchWorkflow(url))));
  };
  const forget = () => {
    task.clear();
    setProblem(null);
  };
  const begun = useRef(false);
  useEffect(() => {
    if (!dropped || begun.current) return;
    begun.current = true;
    void takeFile(dropped);
  });

  const create = async () => {
    const made: WorkflowDocument[] = [];
    // In another project the open folder means nothing.
    const target = project && project !== place.projectId ? { projectId: project } : place;
    const done = await task.run(async () => {
      const known = await fetchCredentials();
      for (const { document } of found ?? []) {
        made.push(
          await createWorkflow(
            { ...document, nodes: withKnownCredentials(document.nodes, known) },
            target,
          ),
        );
      }
    });
    if (!done) return;
    const [first] = made;
    onClose();
    if (made.length === 1 && first?.id) go(urlPath`/workflow/${first.id}`);
    else toast({ text: `${plural(made.length, "workflow")} imported`, tone: "good" });
  };

  const footer = found ? (
    <>
      <Button onClick={() => setFound(null)}>Back</Button>
      <span className={layout.fill} />
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="primary" onClick={create} busy={task.busy}>
        {found.length > 1 ? `Import ${found.length} workflows` : "Import workflow"}
      </Button>
    </>
  ) : undefined;

  return (
    <Dialog
      open
      onClose={onClose}
      title="Import workflows"
      size={found ? "large" : "normal"}
      footer={footer}
    >
      <div className={layout.stack}>
        {found ? (
          <ImportReview found={found} project={project} onProject={setProject} />
        ) : (
          <DocumentSource
            words={WORDS}
            busy={task.busy}
            onFile={takeFile}
            onUrl={takeUrl}
            onText={(text) => void task.run(() => read(text))}
            onSwitch={forget}
          />
        )}
        {task.busy && !found && <Skeleton lines={2} />}
        {problem && (
          <p className={layout.note} role="alert">
            {problem}
          </p>
        )}
        {Boolean(task.error) && <ErrorState error={task.error} />}
      </div>
    </Dialog>
  );
}

interface ImportReviewProps {
  found: readonly ImportedWorkflow[];
  project: string | undefined;
  onProject: (id: string) => void;
}

function ImportReview({ found, project, onProject }: ImportReviewProps) {
  return (
    <>
      {found.map(({ document, report }, index) => (
        <section key={index} className={layout.stack}>
          <h3 className={layout.name}>{document.name}</h3>
          {report ? (
            <CompatibilityReport report={report} />
          ) : (
            <p className={layout.note}>
              {plural(document.nodes.length, "node")}. Could not create the compatibility report.
              You can still import the workflow.
            </p>
          )}
        </section>
      ))}
      <p className={layout.faint}>
        Exports do not include credentials. Select them in the nodes after the import.
      </p>
      <ProjectField value={project} onChange={onProject} />
    </>
  );
}
