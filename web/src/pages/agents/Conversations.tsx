// Chats: at which address each is, and the conversations that were held in the editor of this browser.

import { MessagesSquare } from "lucide-react";
import { useMemo } from "react";
import { useLocation } from "wouter";
import { urlPath } from "../../api/address";
import { useWebhookOrigin } from "../../api/instance";
import { doorOf } from "../../chat/door";
import { type ChatSession, fromKept, keptAt, listed, titleOf } from "../../chat/sessions";
import { useChat } from "../../chat/state";
import { useDrawer } from "../../drawer/state";
import { emptyDocument } from "../../graph/types";
import { Badge, CopyButton, Empty, plural, Table, Time } from "../../ui";
import layout from "../layout.module.css";
import css from "./Agents.module.css";
import type { AgentWorkflow } from "./agents";

interface Row {
  agent: AgentWorkflow;
  session: ChatSession;
}

const COLUMNS = [
  { id: "title", label: "Conversation" },
  { id: "workflow", label: "Workflow" },
  { id: "messages", label: "Messages", align: "right" as const },
  { id: "began", label: "Began" },
];

export function Conversations({ agents }: { agents: readonly AgentWorkflow[] }) {
  const [, go] = useLocation();
  const rows = useMemo(() => conversations(agents), [agents]);
  const open = ({ agent, session }: Row) => {
    useChat.getState().open(agent.id);
    useChat.getState().choose(session.id);
    useDrawer.getState().show("chat");
    go(urlPath`/workflow/${agent.id}`);
  };
  const render = ({ agent, session }: Row, column: string) => {
    switch (column) {
      case "title":
        return <span className={layout.name}>{titleOf(session)}</span>;
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
      <Doors agents={agents} />
      {rows.length > 0 && (
        <>
          <h2 className={layout.part}>Conversations</h2>
          <p className={css.told}>
            {plural(rows.length, "conversation")} held in the editor with this browser. Open one to continue it.
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
          <Empty
            icon={MessagesSquare}
            title="No conversation yet"
            text="Open a workflow with a chat trigger and talk to it in the Chat tab under the canvas. What you said is kept in this browser."
          />
        }
      />
    </>
  );
}

/** Chats that others can reach, or could. */
function Doors({ agents }: { agents: readonly AgentWorkflow[] }) {
  const origin = useWebhookOrigin();
  const doors = agents.flatMap((agent) => {
    const door =
      agent.chat &&
      doorOf({ ...emptyDocument(agent.name), id: agent.id, active: agent.isActive }, agent.chat, origin, window.location.origin);
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
              <Badge tone="good">Open</Badge>
            ) : (
              <Badge>{door.isPublic ? "Not active" : "Not public"}</Badge>
            )}
            {door.isPublic && <code>{door.url}</code>}
            {door.isPublic && <CopyButton text={door.url} label={`Copy the address of ${agent.name}`} />}
          </li>
        ))}
      </ul>
    </>
  );
}

function conversations(agents: readonly AgentWorkflow[]): Row[] {
  const rows = agents.flatMap((agent) => listed(fromKept(kept(agent.id)), "").map((session) => ({ agent, session })));
  return rows.sort((a, b) => b.session.beganMs - a.session.beganMs);
}

function kept(workflowId: string): string | null {
  try {
    return localStorage.getItem(keptAt(workflowId));
  } catch {
    return null;
  }
}
