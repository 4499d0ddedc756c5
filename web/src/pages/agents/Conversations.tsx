// Chats: at which address each is, and the conversations that were held in the editor of this browser.

import { MessagesSquare } from "lucide-react";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { useCatalogue } from "../../api/catalogue";
import { useWebhookOrigin } from "../../api/instance";
import { urlPath } from "../../api/url";
import { emptyDocument } from "../../api/workflowDocument";
import {
  type ChatSession,
  parseSessions,
  sessionsStorageKey,
  sessionTitle,
  sortSessions,
} from "../../chat/chatSessions";
import { useChat } from "../../chat/chatStore";
import { getChatEndpoint } from "../../graph/chatEndpoint";
import layout from "../../shared/layout.module.css";
import { useDrawer } from "../../store/drawerStore";
import { Badge, CopyButton, EmptyState, plural, Table, Time } from "../../ui";
import css from "./Agents.module.css";
import type { AgentWorkflow } from "./agentWorkflows";

interface Row {
  agent: AgentWorkflow;
  session: ChatSession;
}

const COLUMNS = [
  { id: "title", label: "Conversation" },
  { id: "workflow", label: "Workflow" },
  { id: "messages", label: "Messages", align: "right" as const },
  { id: "began", label: "Started" },
];

export function Conversations({ agents }: { agents: readonly AgentWorkflow[] }) {
  const [, go] = useLocation();
  const rows = useMemo(() => listConversations(agents), [agents]);
  const open = ({ agent, session }: Row) => {
    useChat.getState().openWorkflow(agent.id);
    useChat.getState().selectSession(session.id);
    useDrawer.getState().show("chat");
    go(urlPath`/workflow/${agent.id}`);
  };
  const render = ({ agent, session }: Row, column: string) => {
    switch (column) {
      case "title":
        return <span className={layout.name}>{sessionTitle(session)}</span>;
      case "workflow":
        return (
          <span className={css.name}>
            {agent.name}
            {agent.isActive && <Badge tone="good">Active</Badge>}
          </span>
        );
      case "messages":
        return session.messages.length;
      default:
        return <Time at={session.beganMs} />;
    }
  };
  return (
    <>
      <ChatEndpoints agents={agents} />
      {rows.length > 0 && (
        <>
          <h2 className={layout.part}>Conversations</h2>
          <p className={css.told}>
            {plural(rows.length, "conversation")} in this browser's editor. Open one to continue it.
          </p>
        </>
      )}
      <Table
        label="Conversations"
        columns={COLUMNS}
        rows={rows}
        rowKey={({ session }) => session.id}
        render={render}
        onOpen={open}
        empty={
          <EmptyState
            icon={MessagesSquare}
            title="No conversations yet"
            text="Open a workflow with a chat trigger and use the Chat tab below the canvas. Conversations are stored in this browser."
          />
        }
      />
    </>
  );
}

/** Chats that others can reach, or could. */
function ChatEndpoints({ agents }: { agents: readonly AgentWorkflow[] }) {
  const origin = useWebhookOrigin();
  const types = useCatalogue();
  const doors = agents.flatMap((agent) => {
    const door =
      agent.chat &&
      getChatEndpoint(
        { ...emptyDocument(agent.name), id: agent.id, active: agent.isActive },
        agent.chat,
        types,
        origin,
        window.location.origin,
      );
    return door ? [{ agent, door }] : [];
  });
  if (doors.length === 0) return null;
  return (
    <>
      <h2 className={layout.part}>Chat pages</h2>
      <ul className={css.doors} aria-label="Chat pages">
        {doors.map(({ agent, door }) => (
          <li key={agent.id}>
            <b>{agent.name}</b>
            {door.isPublic && door.isActive ? (
              <Badge tone="good">Live</Badge>
            ) : (
              <Badge>{door.isPublic ? "Inactive" : "Not public"}</Badge>
            )}
            {door.isPublic && <code>{door.url}</code>}
            {door.isPublic && <CopyButton text={door.url} label={`Copy URL of ${agent.name}`} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function listConversations(agents: readonly AgentWorkflow[]): Row[] {
  const rows = agents.flatMap((agent) =>
    sortSessions(parseSessions(readSessions(agent.id)), "").map((session) => ({ agent, session })),
  );
  return rows.sort((a, b) => b.session.beganMs - a.session.beganMs);
}

function readSessions(workflowId: string): string | null {
  try {
    return localStorage.getItem(sessionsStorageKey(workflowId));
  } catch {
    return null;
  }
}
