/** Leads to a new server: the entry that the operator puts into `mcp.json`, or a workflow with the server's URL. */

import { PlugZap } from "lucide-react";
import { useState } from "react";
import { useLocation } from "wouter";
import { useProjects } from "../../api/projects";
import { urlPath } from "../../api/url";
import layout from "../../shared/layout.module.css";
import { ProjectField } from "../../shared/ProjectField";
import { Button, Field, FormDialog, Input, Select, Tabs, TextArea, toast } from "../../ui";
import { createWorkflow } from "../../workflows/workflowApi";
import { ConnectionResult, useConnectionTest } from "./ConnectionTest";
import { Snippet } from "./Snippet";
import {
  configSnippet,
  EMPTY_FORM,
  nameProblem,
  type ServerForm,
  serverWorkflow,
  urlProblem,
  wrongPairs,
} from "./serverRows";

const KINDS = [
  { id: "process", label: "Process" },
  { id: "http", label: "HTTP server" },
  { id: "workflow", label: "URL in a workflow" },
];

const TRANSPORTS = [
  { value: "http", label: "Streamable HTTP" },
  { value: "sse", label: "HTTP with SSE", hint: "Of older servers" },
];

export function AddServerDialog({ onClose }: { onClose: () => void }) {
  const [form, setForm] = useState<ServerForm>(EMPTY_FORM);
  const [projectId, setProjectId] = useState<string>();
  const { data: projects = [] } = useProjects();
  const [, go] = useLocation();
  const test = useConnectionTest();
  const set = (change: Partial<ServerForm>) => setForm((now) => ({ ...now, ...change }));
  const { kind } = form;
  const isOperators = kind !== "workflow";
  const project = projectId ?? projects[0]?.id;
  const snippet = configSnippet(form);
  const wrong = wrongPairs(form.pairs);
  const invalid = isOperators
    ? Boolean(nameProblem(form.name)) ||
      wrong.length > 0 ||
      (kind === "process" ? form.command.trim() === "" : Boolean(urlProblem(form.url)))
    : Boolean(urlProblem(form.url));
  const submit = async () => {
    if (isOperators) {
      await navigator.clipboard.writeText(snippet);
      toast({ text: "Copied. Put it into mcp.json in the data folder.", tone: "good" });
      return false;
    }
    const made = await createWorkflow(
      serverWorkflow({ url: form.url, transport: form.transport }),
      { projectId: project },
    );
    go(urlPath`/workflow/${made.id}`);
  };
  return (
    <FormDialog
      title="Add MCP server"
      size="large"
      action={isOperators ? "Copy entry" : "Create workflow"}
      cancel="Close"
      invalid={invalid}
      onSubmit={submit}
      onClose={onClose}
    >
      <Tabs
        label="How the server is reached"
        value={kind}
        tabs={KINDS}
        onChange={(id) => set({ kind: id as ServerForm["kind"] })}
      />
      <p className={layout.quiet}>{EXPLANATIONS[kind]}</p>
      {isOperators && (
        <div className={layout.columns}>
          <div className={layout.stack}>
            <ConfigFields form={form} wrong={wrong} onChange={set} />
          </div>
          <Snippet text={snippet} />
        </div>
      )}
      {!isOperators && (
        <>
          <UrlFields form={form} onChange={set} />
          <ProjectField value={project} onChange={setProjectId} />
          <div className={layout.row}>
            <Button
              icon={PlugZap}
              busy={test.isRunning}
              disabled={!project || Boolean(urlProblem(form.url))}
              onClick={() =>
                project &&
                void test.start({
                  projectId: project,
                  url: form.url.trim(),
                  transport: form.transport,
                })
              }
            >
              Test without a credential
            </Button>
          </div>
          <ConnectionResult test={test} />
        </>
      )}
    </FormDialog>
  );
}

const EXPLANATIONS: Record<ServerForm["kind"], string> = {
  process:
    "Heddle starts only the programs that mcp.json in its data folder lists, because they run with its rights. Whoever runs Heddle adds this entry there. It is in use within seconds, without a restart.",
  http: "A server that every project may use by its name. Whoever runs Heddle adds this entry to mcp.json in the data folder. It is in use within seconds, without a restart.",
  workflow:
    "Creates a workflow with a chat, an agent and an MCP Client Tool for this URL. Connect a model there, and choose a credential in the node if the server needs one.",
};

interface FieldsProps {
  form: ServerForm;
  onChange: (change: Partial<ServerForm>) => void;
}

function ConfigFields({ form, wrong, onChange }: FieldsProps & { wrong: readonly string[] }) {
  const isProcess = form.kind === "process";
  return (
    <>
      <Field
        label="Name"
        required
        problem={nameProblem(form.name)}
        hint="Tools are named after it, such as github_search."
      >
        <Input
          value={form.name}
          placeholder="github"
          onChange={(event) => onChange({ name: event.target.value.trim() })}
        />
      </Field>
      {isProcess ? (
        <>
          <Field
            label="Command"
            required
            problem={form.command.trim() === "" ? "Enter the program to start." : undefined}
          >
            <Input
              className={layout.mono}
              value={form.command}
              placeholder="npx"
              onChange={(event) => onChange({ command: event.target.value })}
            />
          </Field>
          <Field label="Arguments" hint="One per line.">
            <TextArea
              mono
              rows={3}
              value={form.args}
              placeholder={"-y\n@modelcontextprotocol/server-filesystem\n/srv/files"}
              onChange={(event) => onChange({ args: event.target.value })}
            />
          </Field>
        </>
      ) : (
        <UrlFields form={form} onChange={onChange} />
      )}
      <Field
        label={isProcess ? "Environment variables" : "Headers"}
        hint="NAME=value, one per line. They stay in this browser until you copy them."
        problem={wrong.length > 0 ? `Not NAME=value: ${wrong[0]}` : undefined}
      >
        <TextArea
          mono
          rows={2}
          value={form.pairs}
          placeholder={isProcess ? "GITHUB_TOKEN=…" : "Authorization=Bearer …"}
          onChange={(event) => onChange({ pairs: event.target.value })}
        />
      </Field>
      <Field label="Allowed tools" hint="Separated by commas. All if empty.">
        <Input value={form.tools} onChange={(event) => onChange({ tools: event.target.value })} />
      </Field>
    </>
  );
}

function UrlFields({ form, onChange }: FieldsProps) {
  return (
    <>
      <Field label="URL" required problem={urlProblem(form.url)}>
        <Input
          type="url"
          value={form.url}
          placeholder="https://mcp.example.com/mcp"
          onChange={(event) => onChange({ url: event.target.value })}
        />
      </Field>
      <Field label="Transport">
        <Select
          label="Transport"
          value={form.transport}
          options={TRANSPORTS}
          onChange={(value) => onChange({ transport: value as ServerForm["transport"] })}
        />
      </Field>
    </>
  );
}
