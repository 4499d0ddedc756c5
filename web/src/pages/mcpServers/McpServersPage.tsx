/** MCP servers: all of them with their state, and one of them with its tools. */

import { Plug, Plus, RefreshCw } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "wouter";
import { useProjectNames } from "../../api/projects";
import { useCanEdit } from "../../api/session";
import { SearchListPage } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import { Badge, Button, count, EmptyState, IconButton, plural, toast, tryAction } from "../../ui";
import { AddServerDialog } from "./AddServerDialog";
import { Health } from "./Health";
import styles from "./McpServers.module.css";
import { type McpServer, testServer, useMcpServers } from "./mcpApi";
import { ServerView } from "./ServerView";
import { compareServers, serverKey, transportOf } from "./serverRows";

export default function McpServersPage() {
  const [params] = useSearchParams();
  const name = params.get("server");
  const projectId = params.get("project");
  return name === null ? (
    <ServerList />
  ) : (
    <ServerView key={`${projectId} ${name}`} name={name} projectId={projectId} />
  );
}

const COLUMNS = [
  { id: "name", label: "Name" },
  { id: "health", label: "Status", width: "140px" },
  { id: "tools", label: "Tools", align: "right" as const, width: "130px" },
  { id: "transport", label: "Transport", width: "150px" },
  { id: "project", label: "Project", width: "160px" },
];

function ServerList() {
  const canEdit = useCanEdit();
  const servers = useMcpServers();
  const projectName = useProjectNames();
  const [isAdding, setAdding] = useState(false);
  const [, setParams] = useSearchParams();
  const open = ({ name, projectId }: Pick<McpServer, "name" | "projectId">) =>
    setParams({ server: name, ...(projectId && { project: projectId }) });
  const add = canEdit && (
    <Button kind="primary" icon={Plus} onClick={() => setAdding(true)}>
      Add server
    </Button>
  );
  return (
    <SearchListPage
      text="Servers whose tools agents and steps can call. A tool that is new or has changed is not used until somebody approves it."
      actions={add}
      query={servers}
      lines={4}
      searchLabel="Search MCP servers"
      textOf={(one) => `${one.name} ${one.address ?? ""} ${transportOf(one)}`}
      order={compareServers}
      label="MCP servers"
      columns={COLUMNS}
      rowKey={serverKey}
      onOpen={open}
      render={(one, column) => {
        if (column === "name") {
          return (
            <>
              <div className={layout.name}>{one.name}</div>
              {one.error ? (
                <div className={styles.failure}>{one.error}</div>
              ) : (
                one.address && <div className={styles.address}>{one.address}</div>
              )}
            </>
          );
        }
        if (column === "transport") return <span className={layout.quiet}>{transportOf(one)}</span>;
        if (column === "health") return <Health server={one} />;
        if (column === "tools") return <ToolCount server={one} />;
        return (
          <span className={layout.quiet}>{one.projectId ? projectName(one.projectId) : "–"}</span>
        );
      }}
      rowActions={(one) =>
        canEdit && one.projectId && <TestButton server={one} projectId={one.projectId} />
      }
      empty={
        <EmptyState
          icon={Plug}
          title="No MCP servers yet"
          text="List a server in mcp.json in the data folder, or connect an MCP Client Tool node to an agent and enter the server's URL."
          action={add}
        />
      }
      noMatches="No MCP servers match this search."
    >
      {isAdding && <AddServerDialog onClose={() => setAdding(false)} />}
    </SearchListPage>
  );
}

function ToolCount({ server }: { server: McpServer }) {
  return (
    <span className={styles.tools}>
      {server.openCount > 0 && <Badge tone="wait">{count(server.openCount)} to review</Badge>}
      {server.projectId ? count(server.toolCount) : "–"}
    </span>
  );
}

/** Tries a server without leaving the list. */
function TestButton({ server, projectId }: { server: McpServer; projectId: string }) {
  const [busy, setBusy] = useState(false);
  const target = server.isConfigured ? { server: server.name } : { url: server.name };
  const test = async () => {
    setBusy(true);
    await tryAction(async () => {
      const { ok, error, tools } = await testServer({ projectId, ...target });
      if (ok) toast({ text: `${server.name}: ${plural(tools.length, "tool")}`, tone: "good" });
      else toast({ text: `${server.name}: ${error?.message ?? "failed"}`, tone: "bad" });
    });
    setBusy(false);
  };
  return (
    <IconButton
      icon={RefreshCw}
      label={`Test connection of ${server.name}`}
      size="small"
      disabled={busy}
      className={busy ? styles.turning : undefined}
      onClick={() => void test()}
    />
  );
}
