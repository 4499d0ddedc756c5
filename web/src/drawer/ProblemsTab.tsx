// What is wrong with the document, the worst first; a click leads to the node.

import { CircleAlert, CircleCheck, Info, KeyRound, Replace, TriangleAlert } from "lucide-react";
import type { Problem } from "../api/types";
import { ErrorCode } from "../run/ErrorCode";
import { openReplacePanel } from "../store/canvasStore";
import { useEditor } from "../store/editorStore";
import { Button, EmptyState, ErrorState as Failure, Loading, plural } from "../ui";
import css from "./ProblemsTab.module.css";
import { useProblems } from "./useProblems";

const ICONS = { error: CircleAlert, warning: TriangleAlert, info: Info };
const SEVERITY_LABELS = { error: "Error", warning: "Warning", info: "Note" };

export function ProblemsTab() {
  const { problems, isChecking, error, again } = useProblems();
  if (error) {
    return (
      <div className={css.pad}>
        <Failure error={error} onRetry={again} />
      </div>
    );
  }
  if (problems.length === 0) {
    if (isChecking) return <Loading label="Checking workflow" />;
    return (
      <EmptyState
        icon={CircleCheck}
        title="No problems"
        text="All nodes and connections are valid."
      />
    );
  }
  const nErrors = problems.filter((problem) => problem.severity === "error").length;
  return (
    <div className={css.list}>
      <p className={css.count} role="status">
        {plural(problems.length, "problem")}
        {nErrors > 0 && `, ${nErrors} blocking`}
      </p>
      <ul aria-label="Problems">
        {problems.map((problem, index) => (
          <Row key={`${problem.node} ${problem.code} ${index}`} problem={problem} />
        ))}
      </ul>
    </div>
  );
}

/** What mends a problem that stops a node: another node in its place, or a credential. */
function Remedy({ node, code }: { node: string; code: string }) {
  const openNode = useEditor((state) => state.openNode);
  return code === "CREDENTIAL_MISSING" ? (
    <Button size="small" icon={KeyRound} onClick={() => openNode(node)}>
      Choose credential
    </Button>
  ) : (
    <Button size="small" icon={Replace} onClick={() => openReplacePanel(node)}>
      Replace node
    </Button>
  );
}

function Row({ problem }: { problem: Problem }) {
  const openNode = useEditor((state) => state.openNode);
  const isReadOnly = useEditor((state) => state.readOnly);
  const { severity, node, parameter, message, hint, code, stopsNode } = problem;
  const Icon = ICONS[severity] ?? Info;
  return (
    <li className={css.row} data-severity={severity}>
      <Icon size={15} aria-label={SEVERITY_LABELS[severity]} role="img" />
      <div className={css.words}>
        <p>
          {node && (
            <button type="button" className={css.node} onClick={() => openNode(node)}>
              {node}
            </button>
          )}
          {parameter && <code className={css.parameter}>{parameter}</code>}
          <span>{message}</span>
        </p>
        {hint && <p className={css.hint}>{hint}</p>}
      </div>
      {node && stopsNode && !isReadOnly && <Remedy node={node} code={code} />}
      <ErrorCode code={code} />
    </li>
  );
}
