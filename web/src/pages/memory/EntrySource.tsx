/** Where an entry comes from: the words that support it, and the execution in which they were said. */

import { ListTree } from "lucide-react";
import { Link } from "wouter";
import { urlPath } from "../../api/url";
import layout from "../../shared/layout.module.css";
import { useWorkflows } from "../../workflows/workflowApi";
import styles from "./Memory.module.css";
import type { MemoryEntry } from "./memoryApi";

export function EntrySource({ source }: { source: MemoryEntry["source"] }) {
  const { data: workflows = [] } = useWorkflows();
  const { workflowId, executionId, node, sessionId, quote } = source;
  const workflow = workflows.find((one) => one.id === workflowId)?.name;
  const isKnown = [workflowId, executionId, node, sessionId, quote].some(Boolean);
  return (
    <section className={styles.source} aria-label="Source">
      <h3 className={layout.part}>Source</h3>
      {quote && <blockquote className={styles.quote}>{quote}</blockquote>}
      {!isKnown && <p className={layout.faint}>Not known.</p>}
      <p className={styles.sourceFacts}>
        {workflowId && executionId && (
          <Link href={urlPath`/workflow/${workflowId}/executions/${executionId}`}>
            <ListTree size={13} aria-hidden /> Execution {executionId}
          </Link>
        )}
        {workflow && <span>{workflow}</span>}
        {node && <span>node {node}</span>}
        {sessionId && <span>conversation {sessionId}</span>}
      </p>
    </section>
  );
}
