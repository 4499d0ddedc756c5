/** Settings of the workflow as a whole: how it runs, where its dates are, what happens when it fails. */

import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { all } from "../api/client";
import type { Workflow } from "../api/types";
import { withValueAt } from "../graph/document";
import { Button, Dialog, Field, NumberInput, Select } from "../ui";
import { useEditor } from "./store";

type Settings = Record<string, unknown>;

/** In the order in which a select offers them; the first is what holds when nothing is set. */
const KEEPING = [
  { value: "", label: "As the server is set" },
  { value: "all", label: "Keep" },
  { value: "none", label: "Do not keep" },
];

export function SettingsDialog({ onClose }: { onClose: () => void }) {
  const [settings, setSettings] = useState<Settings>(() => useEditor.getState().workflow.settings ?? {});
  const ownId = useEditor((state) => state.workflow.id);
  const workflows = useQuery({
    queryKey: ["workflows", "names"],
    queryFn: () => all<Workflow>("/workflows", { excludePinnedData: true }),
  });
  const text = (key: string) => (typeof settings[key] === "string" ? (settings[key] as string) : "");
  const number = (key: string) =>
    typeof settings[key] === "number" && (settings[key] as number) > 0 ? (settings[key] as number) : undefined;
  const set = (key: string, value: unknown) =>
    setSettings((before) => withValueAt(before, [key], value === "" ? undefined : value));
  const zones = [
    { value: "", label: "The server's" },
    ...Intl.supportedValuesOf("timeZone").map((zone) => ({ value: zone, label: zone })),
  ];
  const handlers = [
    { value: "", label: "None" },
    ...(workflows.data ?? []).filter((one) => one.id !== ownId).map((one) => ({ value: one.id, label: one.name })),
  ];
  const save = () => {
    useEditor.getState().change("Change settings", (document) => ({ ...document, settings }));
    onClose();
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Settings of this workflow"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" onClick={save}>
            Apply
          </Button>
        </>
      }
    >
      <div style={{ display: "grid", gap: "var(--space-3)" }}>
        <Field
          label="Order of execution"
          hint="One branch after the other is what new workflows use; the other order is that of n8n before 1.0."
        >
          <Select
            label="Order of execution"
            value={text("executionOrder") || "v0"}
            onChange={(value) => set("executionOrder", value)}
            options={[
              { value: "v1", label: "One branch after the other (v1)" },
              { value: "v0", label: "All branches in turn (v0)" },
            ]}
          />
        </Field>
        <Field label="When it fails, run">
          <Select
            label="When it fails, run"
            value={text("errorWorkflow")}
            onChange={(value) => set("errorWorkflow", value)}
            options={handlers}
          />
        </Field>
        <Field label="Time zone" hint="For schedules and for dates in expressions.">
          <Select
            label="Time zone"
            value={text("timezone") === "DEFAULT" ? "" : text("timezone")}
            onChange={(value) => set("timezone", value)}
            options={zones}
          />
        </Field>
        <Field label="Time limit, in seconds" hint="An execution that takes longer is stopped. Empty: no limit of its own.">
          <NumberInput min={1} value={number("executionTimeout")} onChange={(value) => set("executionTimeout", value)} />
        </Field>
        <Field label="Who may call it as a sub-workflow">
          <Select
            label="Who may call it as a sub-workflow"
            value={text("callerPolicy")}
            onChange={(value) => set("callerPolicy", value)}
            options={[
              { value: "", label: "Workflows of the same project" },
              { value: "any", label: "Any workflow" },
              { value: "none", label: "None" },
            ]}
          />
        </Field>
        <Field label="Executions that succeed">
          <Select
            label="Executions that succeed"
            value={text("saveDataSuccessExecution")}
            onChange={(value) => set("saveDataSuccessExecution", value)}
            options={KEEPING}
          />
        </Field>
        <Field label="Executions that fail">
          <Select
            label="Executions that fail"
            value={text("saveDataErrorExecution")}
            onChange={(value) => set("saveDataErrorExecution", value)}
            options={KEEPING}
          />
        </Field>
      </div>
    </Dialog>
  );
}
