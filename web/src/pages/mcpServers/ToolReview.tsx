/** A tool that waits for a decision: what the server lists now beside what was approved, and the two answers. */

import { Check, X } from "lucide-react";
import { useState } from "react";
import { DiffView } from "../../shared/DiffView";
import layout from "../../shared/layout.module.css";
import { diffLines } from "../../shared/lineDiff";
import { Badge, Button, cx, ErrorState, Time, toast, useAsyncAction } from "../../ui";
import styles from "./McpServers.module.css";
import { decideTool, type McpServer, type McpTool } from "./mcpApi";
import { ToolFacts } from "./ToolFacts";
import { claimedEffects, definitionText, readDefinition, revealHidden } from "./toolDefinition";

interface ToolReviewProps {
  server: McpServer;
  tool: McpTool;
  canEdit: boolean;
}

const FIELDS: Record<string, string> = {
  description: "description",
  inputSchema: "input",
  annotations: "annotations",
};

export function ToolReview({ server, tool, canEdit }: ToolReviewProps) {
  const proposed = readDefinition(tool.proposed?.definition);
  const changed = tool.changedFields.map((field) => FIELDS[field] ?? field);
  return (
    <article
      className={cx(layout.card, styles.review, styles.warn)}
      aria-label={`Review ${tool.name}`}
    >
      <header className={styles.reviewHead}>
        <h3>{revealHidden(tool.name)}</h3>
        <Badge tone="wait">{tool.state === "new" ? "New" : "Changed"}</Badge>
        <EffectBadges annotations={proposed.annotations} />
        <span className={layout.faint}>
          {changed.length > 0 && `${capitalize(changed.join(", "))} changed, `}seen{" "}
          <Time at={tool.seenAt} />
        </span>
      </header>
      {tool.approved ? (
        <DiffView
          wrap
          label={`Changes of ${tool.name}`}
          lines={diffLines(
            definitionText(tool.approved.definition),
            definitionText(tool.proposed?.definition),
          )}
        />
      ) : (
        <ToolFacts definition={proposed} />
      )}
      <DecisionButtons server={server} tool={tool} canEdit={canEdit} />
    </article>
  );
}

/** The two answers to what a server lists. */
export function DecisionButtons({ server, tool, canEdit }: ToolReviewProps) {
  const task = useAsyncAction();
  const [answer, setAnswer] = useState<"approve" | "reject">();
  const decide = async (decision: "approve" | "reject") => {
    setAnswer(decision);
    const isDone = await task.run(() => decideTool(server, tool, decision));
    if (!isDone) return;
    const text =
      decision === "approve"
        ? `${tool.name} approved`
        : `${tool.name} rejected: agents do not get it`;
    toast({ text, tone: decision === "approve" ? "good" : "plain" });
  };
  if (!canEdit)
    return <p className={layout.faint}>Editors of the project decide whether agents may use it.</p>;
  return (
    <>
      {Boolean(task.error) && <ErrorState error={task.error} />}
      <div className={layout.row}>
        <Button
          kind="primary"
          icon={Check}
          busy={task.busy && answer === "approve"}
          disabled={task.busy}
          aria-label={`Approve ${tool.name}`}
          onClick={() => void decide("approve")}
        >
          Approve
        </Button>
        {tool.state !== "rejected" && (
          <Button
            icon={X}
            busy={task.busy && answer === "reject"}
            disabled={task.busy}
            aria-label={`Reject ${tool.name}`}
            onClick={() => void decide("reject")}
          >
            Reject
          </Button>
        )}
      </div>
    </>
  );
}

export function EffectBadges({ annotations }: { annotations: Record<string, unknown> }) {
  return (
    <span className={styles.badges}>
      {claimedEffects(annotations).map((effect) => (
        <Badge key={effect} tone={effect === "Destructive" ? "bad" : "neutral"}>
          {effect}
        </Badge>
      ))}
    </span>
  );
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
