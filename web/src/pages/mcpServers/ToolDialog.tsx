/** All about one tool of a server: its approved definition, who decided, and what the server lists instead. */

import { DiffView } from "../../shared/DiffView";
import layout from "../../shared/layout.module.css";
import { diffLines } from "../../shared/lineDiff";
import { Dialog, Time } from "../../ui";
import type { McpServer, McpTool } from "./mcpApi";
import { ToolFacts } from "./ToolFacts";
import { DecisionButtons, EffectBadges } from "./ToolReview";
import { definitionText, readDefinition, revealHidden } from "./toolDefinition";

interface ToolDialogProps {
  server: McpServer;
  tool: McpTool;
  canEdit: boolean;
  onClose: () => void;
}

export function ToolDialog({ server, tool, canEdit, onClose }: ToolDialogProps) {
  const shown = readDefinition((tool.approved ?? tool.proposed)?.definition);
  return (
    <Dialog open onClose={onClose} title={revealHidden(tool.name)} size="large">
      <div className={layout.stack}>
        <div className={layout.chips}>
          <EffectBadges annotations={shown.annotations} />
          <span className={layout.faint}>
            <Decision tool={tool} />
          </span>
        </div>
        <ToolFacts definition={shown} />
        {tool.proposed && tool.approved && (
          <>
            <h3 className={layout.part}>What the server lists instead</h3>
            <DiffView
              wrap
              label={`Changes of ${tool.name}`}
              lines={diffLines(
                definitionText(tool.approved.definition),
                definitionText(tool.proposed.definition),
              )}
            />
          </>
        )}
        {tool.proposed && <DecisionButtons server={server} tool={tool} canEdit={canEdit} />}
      </div>
    </Dialog>
  );
}

function Decision({ tool: { state, decidedBy, decidedAt, seenAt } }: { tool: McpTool }) {
  if (decidedAt !== null)
    return (
      <>
        {state === "rejected" ? "Rejected" : "Approved"} by {decidedBy ?? "somebody"}{" "}
        <Time at={decidedAt} />
      </>
    );
  return state === "approved" ? (
    <>
      Recorded on first use, seen <Time at={seenAt} />
    </>
  ) : (
    <>
      Not decided, seen <Time at={seenAt} />
    </>
  );
}
