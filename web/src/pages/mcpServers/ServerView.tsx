/** One MCP server: its state, the tools that wait for a decision, all tools, and the workflows that use it. */

import { Bot, PlugZap, Trash2, Wrench } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { useProjectNames, useProjects } from "../../api/projects";
import { useCanEdit } from "../../api/session";
import { urlPath } from "../../api/url";
import { JsonBlock } from "../../run/JsonBlock";
import { Facts } from "../../shared/Facts";
import { List, ShowMore } from "../../shared/ListPage";
import layout from "../../shared/layout.module.css";
import {
  AsyncContent,
  Badge,
  Button,
  CopyButton,
  confirm,
  count,
  cx,
  EmptyState,
  IconButton,
  Page,
  plural,
  Select,
  toast,
  tryAction,
} from "../../ui";
import { createWorkflow, useWorkflowDocuments } from "../../workflows/workflowApi";
import { ConnectionResult, useConnectionTest } from "./ConnectionTest";
import { Health } from "./Health";
import styles from "./McpServers.module.css";
import { forgetServer, type McpServer, useMcpServers, useMcpTools } from "./mcpApi";
import { serverWorkflow, transportOf, workflowsUsing } from "./serverRows";
import { ToolDialog } from "./ToolDialog";
import { EffectBadges, ToolReview } from "./ToolReview";
import { readDefinition, revealHidden } from "./toolDefinition";

interface ServerViewProps {
  name: string;
  projectId: string | null;
}

export function ServerView({ name, projectId }: ServerViewProps) {
  const servers = useMcpServers();
  const named = servers.data?.filter((one) => one.name === name) ?? [];
  // Of a server that no project has used, the first test makes a row with a project.
  const server =
    named.find((one) => one.projectId === projectId) ?? (projectId === null ? named[0] : undefined);
  if (!servers.data) {
    return (
      <Page title={name}>
        <AsyncContent query={servers} lines={6} />
      </Page>
    );
  }
  if (!server) {
    return (
      <Page title={name} text={<Facts back={<Back />} facts={[]} />}>
        <EmptyState
          icon={PlugZap}
          title="MCP server not found"
          text="It is no longer listed in mcp.json, or its recorded tools were forgotten."
        />
      </Page>
    );
  }
  return <Server server={server} />;
}

const Back = () => <Link href="/servers">All MCP servers</Link>;

function Server({ server }: { server: McpServer }) {
  const canEdit = useCanEdit();
  const projectName = useProjectNames();
  const { data: projects = [] } = useProjects();
  const [chosen, setChosen] = useState<string>();
  const test = useConnectionTest();
  const [, go] = useLocation();
  const projectId = server.projectId ?? chosen ?? projects[0]?.id;
  const target = server.isConfigured ? { server: server.name } : { url: server.name };
  const forget = async () => {
    const sure = await confirm({
      title: `Forget the tools of ${server.name}?`,
      text: "The approved definitions and open decisions of this project are deleted. Whatever the server lists at the next connection is approved without asking.",
      action: "Forget tools",
      danger: true,
    });
    if (!sure || !(await tryAction(() => forgetServer(server)))) return;
    toast({ text: `Tools of ${server.name} forgotten` });
    if (!server.isConfigured) go("/servers", { replace: true });
  };
  const makeWorkflow = () =>
    tryAction(async () => {
      const place = server.isConfigured
        ? { server: server.name }
        : { url: server.name, transport: "http" as const };
      const made = await createWorkflow(serverWorkflow(place), { projectId });
      go(urlPath`/workflow/${made.id}`);
    });
  const actions = canEdit && (
    <>
      {server.projectId === null && projects.length > 1 && (
        <Select
          className={layout.choice}
          label="Project to connect as"
          value={projectId}
          onChange={setChosen}
          options={projects.map((one) => ({ value: one.id, label: one.name }))}
        />
      )}
      <Button icon={Bot} onClick={() => void makeWorkflow()}>
        New agent with it
      </Button>
      <Button
        kind="primary"
        icon={PlugZap}
        busy={test.isRunning}
        disabled={!projectId}
        onClick={() => projectId && void test.start({ projectId, ...target })}
      >
        Test connection
      </Button>
      {server.projectId !== null && (
        <IconButton
          icon={Trash2}
          label="Forget recorded tools"
          kind="plain"
          onClick={() => void forget()}
        />
      )}
    </>
  );
  const facts = [
    transportOf(server),
    server.projectId ? projectName(server.projectId) : "Not used by a project yet",
    server.starts > 0 ? `Started ${plural(server.starts, "time")}` : null,
  ];
  return (
    <Page title={server.name} text={<Facts back={<Back />} facts={facts} />} actions={actions}>
      <div className={layout.groups}>
        <ConnectionResult test={test} />
        <ServerState server={server} isTold={test.hasFailed} />
        <Tools server={server} canEdit={canEdit} />
        <Uses server={server} />
      </div>
    </Page>
  );
}

/** How the server stands, as far as the reader may know. The last error is not said twice. */
function ServerState({ server, isTold }: { server: McpServer; isTold: boolean }) {
  if (!server.isConfigured) return null;
  return (
    <section className={cx(layout.card, layout.stack)} aria-label="State">
      <div className={styles.reviewHead}>
        <Health server={server} />
        {server.address && (
          <>
            <code className={cx(layout.mono, styles.command)}>{server.address}</code>
            <CopyButton text={server.address} label="Copy command or URL" />
          </>
        )}
      </div>
      {server.error && !isTold && (
        <div className={cx(layout.note, styles.bad)} role="alert">
          {server.error}
        </div>
      )}
      {server.stderr && (
        <div>
          <h3 className={layout.part}>Standard error</h3>
          <JsonBlock value={revealHidden(server.stderr)} label="standard error" />
        </div>
      )}
    </section>
  );
}

const COLUMNS = [
  { id: "name", label: "Tool", width: "26%" },
  { id: "description", label: "Description" },
  { id: "effect", label: "By its own account", width: "190px" },
  { id: "state", label: "Approval", width: "120px" },
];

/** So many are compared at first. */
const REVIEWS = 20;

const STATES: Record<string, { label: string; tone: "good" | "wait" | "bad" }> = {
  approved: { label: "Approved", tone: "good" },
  new: { label: "New", tone: "wait" },
  changed: { label: "Changed", tone: "wait" },
  rejected: { label: "Rejected", tone: "bad" },
};

function Tools({ server, canEdit }: { server: McpServer; canEdit: boolean }) {
  const tools = useMcpTools(server);
  const [opened, setOpened] = useState<string | null>(null);
  const [most, setMost] = useState(REVIEWS);
  const open = tools.data?.filter((tool) => tool.state === "new" || tool.state === "changed") ?? [];
  const shown = tools.data?.find((tool) => tool.name === opened);
  const nothing = (
    <EmptyState
      icon={Wrench}
      title="No tools recorded yet"
      text="The tools are recorded when a workflow first uses the server, or when you test the connection."
    />
  );
  return (
    <>
      {open.length > 0 && (
        <section className={layout.stack} aria-label="Tools to review">
          <div>
            <h2 className={layout.part}>To review</h2>
            <p className={layout.quiet}>
              Agents cannot use these until somebody approves them. A description is read by models:
              approve only what you would let the server tell them.
            </p>
          </div>
          {open.slice(0, most).map((tool) => (
            <ToolReview key={tool.name} server={server} tool={tool} canEdit={canEdit} />
          ))}
          {open.length > most && (
            <ShowMore onClick={() => setMost(most + 2 * REVIEWS)}>
              Show more ({count(most)} of {count(open.length)})
            </ShowMore>
          )}
        </section>
      )}
      <section className={styles.tight} aria-label="All tools">
        <h2 className={layout.part}>Tools</h2>
        {server.projectId === null ? (
          nothing
        ) : (
          <List
            query={tools}
            lines={4}
            limit={100}
            label="Tools"
            columns={COLUMNS}
            rowKey={(tool) => tool.name}
            onOpen={(tool) => setOpened(tool.name)}
            render={(tool, column) => {
              const { definition } = tool.approved ?? tool.proposed ?? {};
              const { description, annotations } = readDefinition(definition);
              if (column === "name")
                return <code className={layout.name}>{revealHidden(tool.name)}</code>;
              if (column === "description")
                return <span className={styles.clamped}>{revealHidden(description) || "–"}</span>;
              if (column === "effect") return <EffectBadges annotations={annotations} />;
              const state = STATES[tool.state];
              return <Badge tone={state?.tone}>{state?.label ?? tool.state}</Badge>;
            }}
            empty={nothing}
          />
        )}
        {shown && (
          <ToolDialog
            server={server}
            tool={shown}
            canEdit={canEdit}
            onClose={() => setOpened(null)}
          />
        )}
      </section>
    </>
  );
}

function Uses({ server }: { server: McpServer }) {
  const workflows = useWorkflowDocuments();
  return (
    <section aria-label="Used by">
      <h2 className={layout.part}>Used by</h2>
      <AsyncContent query={workflows} lines={2}>
        {(all) => {
          const uses = workflowsUsing(server, all);
          if (uses.length === 0)
            return (
              <p className={layout.quiet}>
                No workflow names this server. One that chooses it by an expression is not listed.
              </p>
            );
          return (
            <ul className={styles.uses}>
              {uses.map((use) => (
                <li key={use.workflowId}>
                  <Link href={urlPath`/workflow/${use.workflowId}`}>{use.workflowName}</Link>
                  {use.isActive && <Badge tone="good">Active</Badge>}
                  <span className={layout.faint}>{use.nodes.join(", ")}</span>
                </li>
              ))}
            </ul>
          );
        }}
      </AsyncContent>
    </section>
  );
}
