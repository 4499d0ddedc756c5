/** Takes workflows in: from a file, from what was copied, or from an address; with a report before anything is created. */

import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { urlPath } from "../../api/address";
import { withKnownCredentials } from "../../graph/credentials";
import type { WorkflowDocument } from "../../graph/types";
import { Button, Dialog, Field, Problem, plural, Select, Skeleton, toast, useTask } from "../../ui";
import { knownCredentials } from "../credentials/data";
import layout from "../layout.module.css";
import { useProjects } from "../settings/projectData";
import { CompatibilityReport } from "./CompatibilityReport";
import { checkWorkflow, createWorkflow, fetchWorkflow } from "./data";
import { ImportSource } from "./ImportSource";
import { isAddress, readIncoming } from "./incoming";
import type { Report } from "./report";

interface Props {
  onClose: () => void;
  /** The project and folder that are open. */
  place: { projectId: string | null; folderId: string | null };
  /** A file that was dropped on the page already. */
  dropped?: File | null;
}

/** A workflow that was read, and what the server says about it; nothing where it could not tell. */
interface Found {
  document: WorkflowDocument;
  report: Report | null;
}

export function ImportDialog({ onClose, place, dropped }: Props) {
  const [problem, setProblem] = useState<string | null>(null);
  const [found, setFound] = useState<Found[] | null>(null);
  const [project, setProject] = useState<string>();
  const [, go] = useLocation();
  const task = useTask();

  const read = async (text: string, name?: string) => {
    const incoming = readIncoming(text, name);
    if ("problem" in incoming) throw new Error(incoming.problem);
    // A report that cannot be made does not keep anybody from importing.
    const reports = incoming.documents.map(async (document) => ({
      document,
      report: await checkWorkflow(document).catch(() => null),
    }));
    setFound(await Promise.all(reports));
  };
  const takeFile = (file: File) => task.run(async () => read(await file.text(), file.name.replace(/\.json$/i, "")));
  const takeUrl = (url: string) => {
    if (!isAddress(url)) return setProblem("An address begins with https:// or http://.");
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
      const known = await knownCredentials();
      for (const { document } of found ?? []) {
        made.push(await createWorkflow({ ...document, nodes: withKnownCredentials(document.nodes, known) }, target));
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
    <Dialog open onClose={onClose} title="Import workflows" size={found ? "large" : "normal"} footer={footer}>
      <div className={layout.stack}>
        {found ? (
          <Review found={found} project={project} onProject={setProject} />
        ) : (
          <ImportSource
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
        {Boolean(task.error) && <Problem error={task.error} />}
      </div>
    </Dialog>
  );
}

interface ReviewProps {
  found: readonly Found[];
  project: string | undefined;
  onProject: (id: string) => void;
}

function Review({ found, project, onProject }: ReviewProps) {
  const projects = useProjects();
  return (
    <>
      {found.map(({ document, report }, index) => (
        <section key={index} className={layout.stack}>
          <h3 className={layout.name}>{document.name}</h3>
          {report ? (
            <CompatibilityReport report={report} />
          ) : (
            <p className={layout.note}>
              {plural(document.nodes.length, "node")}. The report could not be made; the workflow can be imported all the same.
            </p>
          )}
        </section>
      ))}
      <p className={layout.faint}>Credentials are not part of an export: choose them in the nodes that need one.</p>
      {(projects.data?.length ?? 0) > 1 && (
        <Field label="Project">
          <Select
            label="Project"
            value={project}
            onChange={onProject}
            placeholder="My own"
            options={(projects.data ?? []).map((one) => ({ value: one.id, label: one.name }))}
          />
        </Field>
      )}
    </>
  );
}
