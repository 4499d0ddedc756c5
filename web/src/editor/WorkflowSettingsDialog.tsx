/** Settings of the workflow as a whole: how it runs, where its dates are, what happens when it fails. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { fetchAll } from "../api/client";
import type { Workflow } from "../api/types";
import { withValueAt } from "../graph/document";
import { mcpToolName } from "../graph/mcpTool";
import { useEditor } from "../store/editorStore";
import { Field, FormDialog, NumberInput, Select, Switch } from "../ui";
import { BudgetFields } from "./BudgetFields";

type Settings = Record<string, unknown>;

/** In the order in which a select offers them; the first is what holds when nothing is set. */
const SAVE_OPTIONS = [
  { value: "", label: "Server default" },
  { value: "all", label: "Save" },
  { value: "none", label: "Do not save" },
];

export function WorkflowSettingsDialog({ onClose }: { onClose: () => void }) {
  const [settings, setSettings] = useState<Settings>(
    () => useEditor.getState().workflow.settings ?? {},
  );
  const ownId = useEditor((state) => state.workflow.id);
  const name = useEditor((state) => state.workflow.name);
  const workflows = useQuery({
    queryKey: ["workflows", "names"],
    queryFn: () => fetchAll<Workflow>("/workflows", { excludePinnedData: true }),
  });
  const text = (key: string) =>
    typeof settings[key] === "string" ? (settings[key] as string) : "";
  const number = (key: string) =>
    typeof settings[key] === "number" && (settings[key] as number) > 0
      ? (settings[key] as number)
      : undefined;
  const set = (key: string, value: unknown) =>
    setSettings((before) => withValueAt(before, [key], value === "" ? undefined : value));
  const zones = [
    { value: "", label: "Server default" },
    ...Intl.supportedValuesOf("timeZone").map((zone) => ({ value: zone, label: zone })),
  ];
  const handlers = [
    { value: "", label: "None" },
    ...(workflows.data ?? [])
      .filter((one) => one.id !== ownId)
      .map((one) => ({ value: one.id, label: one.name })),
  ];
  const apply = () =>
    useEditor.getState().change("Change settings", (document) => ({ ...document, settings }));
  return (
    <FormDialog title="Workflow settings" action="Apply" onSubmit={apply} onClose={onClose}>
      <Field label="Execution order" hint="New workflows use v1. v0 matches n8n before 1.0.">
        <Select
          label="Execution order"
          value={text("executionOrder") || "v0"}
          onChange={(value) => set("executionOrder", value)}
          options={[
            { value: "v1", label: "One branch at a time (v1)" },
            { value: "v0", label: "Interleaved branches (v0)" },
          ]}
        />
      </Field>
      <Field label="Error workflow">
        <Select
          label="Error workflow"
          value={text("errorWorkflow")}
          onChange={(value) => set("errorWorkflow", value)}
          options={handlers}
        />
      </Field>
      <Field label="Time zone" hint="Used for schedules and dates in expressions.">
        <Select
          label="Time zone"
          value={text("timezone") === "DEFAULT" ? "" : text("timezone")}
          onChange={(value) => set("timezone", value)}
          options={zones}
        />
      </Field>
      <Field
        label="Timeout (seconds)"
        hint="Stops executions that take longer. Leave empty for no workflow limit."
      >
        <NumberInput
          min={1}
          value={number("executionTimeout")}
          onChange={(value) => set("executionTimeout", value)}
        />
      </Field>
      <Field label="Can be called as a sub-workflow by">
        <Select
          label="Can be called as a sub-workflow by"
          value={text("callerPolicy")}
          onChange={(value) => set("callerPolicy", value)}
          options={[
            { value: "", label: "Workflows in the same project" },
            { value: "any", label: "Any workflow" },
            { value: "none", label: "None" },
          ]}
        />
      </Field>
      <Field label="Successful executions">
        <Select
          label="Successful executions"
          value={text("saveDataSuccessExecution")}
          onChange={(value) => set("saveDataSuccessExecution", value)}
          options={SAVE_OPTIONS}
        />
      </Field>
      <Field label="Failed executions">
        <Select
          label="Failed executions"
          value={text("saveDataErrorExecution")}
          onChange={(value) => set("saveDataErrorExecution", value)}
          options={SAVE_OPTIONS}
        />
      </Field>
      <Field
        label="Available in MCP"
        hint={`Lets AI assistants that are connected to this instance run the workflow, as the tool ${mcpToolName(name ?? "")}.`}
      >
        <Switch
          label="Available in MCP"
          checked={settings.availableInMCP === true}
          onChange={(checked) => set("availableInMCP", checked ? true : "")}
        />
      </Field>
      <BudgetFields settings={settings} onChange={setSettings} />
    </FormDialog>
  );
}
