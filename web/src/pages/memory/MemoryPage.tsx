/** Memory: what agents remember beyond a conversation, and one of these memories. */

import { Brain, Plus } from "lucide-react";
import { useLocation, useParams } from "wouter";
import { useProjectNames } from "../../api/projects";
import { useCanEdit } from "../../api/session";
import { urlPath } from "../../api/url";
import { SearchListPage } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import { Button, Bytes, count, EmptyState, plural, Time, tryAction } from "../../ui";
import { agentWorkflow } from "../../workflows/agentWorkflow";
import { createWorkflow } from "../../workflows/workflowApi";
import { MemoryView } from "./MemoryView";
import { useMemories } from "./memoryApi";
import { hitRate } from "./memoryEntries";

export default function MemoryPage() {
  const { id } = useParams<{ id?: string }>();
  return id ? <MemoryView key={id} id={id} /> : <MemoryList />;
}

const COLUMNS = [
  { id: "name", label: "Name" },
  { id: "entries", label: "Entries", align: "right" as const, width: "100px" },
  { id: "size", label: "Size", align: "right" as const, width: "100px" },
  { id: "hits", label: "Reads that found something", align: "right" as const, width: "200px" },
  { id: "project", label: "Project", width: "160px" },
  { id: "updated", label: "Updated", width: "120px" },
];

function MemoryList() {
  const canEdit = useCanEdit();
  const memories = useMemories();
  const projectName = useProjectNames();
  const [, go] = useLocation();
  const create = () =>
    tryAction(async () => {
      const made = await createWorkflow(
        agentWorkflow("Agent with memory", {
          name: "Agent Memory",
          type: "agent-memory",
          typeVersion: 1,
          parameters: {},
          kind: "ai_memory",
        }),
      );
      go(urlPath`/workflow/${made.id}`);
    });
  return (
    <SearchListPage
      text="Facts, notes and documents that agents remember beyond a conversation, per user or session."
      query={memories}
      lines={4}
      searchLabel="Search memories"
      textOf={(one) => one.name}
      order={(one, other) => one.name.localeCompare(other.name)}
      label="Memories"
      columns={COLUMNS}
      rowKey={(one) => one.id}
      onOpen={(one) => go(urlPath`/memory/${one.id}`)}
      render={(one, column) => {
        if (column === "name") {
          return (
            <>
              <div className={layout.name}>{one.name}</div>
              {one.pendingTurns > 0 && (
                <div className={layout.faint}>
                  {plural(one.pendingTurns, "turn waits", "turns wait")} for consolidation
                </div>
              )}
            </>
          );
        }
        if (column === "entries") return count(one.entryCount);
        if (column === "size") return <Bytes n={one.sizeBytes} />;
        if (column === "hits") {
          return (
            <>
              {hitRate(one)}{" "}
              {one.reads > 0 && <span className={layout.faint}>of {count(one.reads)}</span>}
            </>
          );
        }
        if (column === "project")
          return <span className={layout.quiet}>{projectName(one.projectId)}</span>;
        return <Time at={one.updatedAt} />;
      }}
      empty={
        <EmptyState
          icon={Brain}
          title="No long-term memory yet"
          text="Connect an Agent Memory node to an agent. With a chat model connected to the node, it extracts facts from conversations and remembers them per user."
          action={
            canEdit && (
              <Button kind="primary" icon={Plus} onClick={() => void create()}>
                New agent with memory
              </Button>
            )
          }
        />
      }
      noMatches="No memories match this search."
    />
  );
}
