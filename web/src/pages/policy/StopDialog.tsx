/** Stops tools or agents at once: what, and why. */

import { useState } from "react";
import type { PolicyStopInput } from "../../api/generated";
import layout from "../../shared/layout.module.css";
import { Field, FormDialog, Input, Select, TextArea, toast, tryAction } from "../../ui";
import { useWorkflows } from "../../workflows/workflowApi";
import { addStop, removeStop } from "./policyApi";

const TARGETS = [
  { value: "tool", label: "Tools by name", hint: "Wherever they are" },
  { value: "server", label: "An MCP server", hint: "All of its tools" },
  { value: "nodeType", label: "A type of node", hint: "All tools that such nodes supply" },
  { value: "workflow", label: "The agents of a workflow", hint: "All of them, or one" },
];

const FIELDS: Record<string, { label: string; placeholder: string; hint: string }> = {
  tool: {
    label: "Name of the tool",
    placeholder: "send_*",
    hint: "As the model sees it. * stands for any letters.",
  },
  server: {
    label: "Name of the server",
    placeholder: "github",
    hint: "As mcp.json names it, or its URL.",
  },
  nodeType: {
    label: "Type of the node",
    placeholder: "n8n-nodes-base.gmail*",
    hint: "* stands for any letters.",
  },
};

export function StopDialog({ onClose }: { onClose: () => void }) {
  const workflows = useWorkflows();
  const [target, setTarget] = useState("tool");
  const [name, setName] = useState("");
  const [agent, setAgent] = useState("");
  const [reason, setReason] = useState("");
  const field = FIELDS[target];
  const stop = async () => {
    const what: PolicyStopInput =
      target === "workflow"
        ? { workflowId: name, ...(agent.trim() && { agent: agent.trim() }) }
        : { [target]: name.trim() };
    const made = await addStop({ ...what, reason: reason.trim() || null });
    toast({
      text: `“${made}” is in force`,
      tone: "good",
      undo: () => void tryAction(() => removeStop(made)),
    });
  };
  return (
    <FormDialog
      title="Stop tools or agents"
      action="Stop now"
      danger
      invalid={name.trim() === ""}
      onSubmit={stop}
      onClose={onClose}
    >
      <p className={layout.quiet}>
        It takes effect at once, on running agents too, and stays until you remove it. A call in
        progress is abandoned and may have taken effect.
      </p>
      <Field label="What">
        <Select
          label="What"
          value={target}
          options={TARGETS}
          onChange={(next) => {
            setTarget(next);
            setName("");
          }}
        />
      </Field>
      {field ? (
        <Field
          label={field.label}
          required
          hint={field.hint}
          problem={name.trim() === "" ? "Enter what to stop." : undefined}
        >
          <Input
            value={name}
            maxLength={256}
            placeholder={field.placeholder}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
      ) : (
        <>
          <Field label="Workflow" required problem={name === "" ? "Select a workflow." : undefined}>
            <Select
              label="Workflow"
              value={name || undefined}
              placeholder="Select a workflow"
              options={(workflows.data ?? []).map((row) => ({ value: row.id, label: row.name }))}
              onChange={setName}
            />
          </Field>
          <Field label="Agent" hint="Name of the agent's node. All agents if empty.">
            <Input
              value={agent}
              maxLength={256}
              onChange={(event) => setAgent(event.target.value)}
            />
          </Field>
        </>
      )}
      <Field label="Reason" hint="Shown to whoever meets the stop, also to the model.">
        <TextArea
          rows={2}
          maxLength={500}
          value={reason}
          placeholder="Wrong recipients"
          onChange={(event) => setReason(event.target.value)}
        />
      </Field>
    </FormDialog>
  );
}
