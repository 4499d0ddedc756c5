/** What happens around a node's work: errors, retries, notes and whether it runs at all. */

import { newest, useCatalogue } from "../api/catalogue";
import { useCanvas } from "../editor/canvas";
import { useEditor } from "../editor/store";
import { setNodeField } from "../graph/document";
import type { WorkflowNode } from "../graph/types";
import { CopyButton, Field, NumberInput, Select, Switch, TextArea } from "../ui";
import css from "./Panel.module.css";
import { canSplitErrors, ON_ERROR, onErrorOf, TRIES, WAIT_MS } from "./settings";

export function SettingsTab({ node }: { node: WorkflowNode }) {
  const change = useEditor((state) => state.change);
  const readOnly = useEditor((state) => state.readOnly);
  const ports = useCanvas((state) => state.ports.get(node.name));
  const catalogue = useCatalogue();
  const set = <K extends string & keyof WorkflowNode>(field: K, value: WorkflowNode[K] | undefined, what: string) =>
    change(`${what} of ${node.name}`, (document) => setNodeField(document, node.name, field, value));
  const known = catalogue.newest(node.type);
  const flag = (
    field: "alwaysOutputData" | "executeOnce" | "retryOnFail" | "disabled" | "notesInFlow",
    label: string,
    hint: string,
  ) => (
    <div className={css.flag}>
      <div>
        <strong>{label}</strong>
        <p>{hint}</p>
      </div>
      <Switch
        checked={node[field] === true}
        onChange={(on) => set(field, on || undefined, `Change “${label}”`)}
        label={label}
        disabled={readOnly}
      />
    </div>
  );
  const onError = onErrorOf(node);
  const offered = ON_ERROR.filter((choice) => choice.value !== "continueErrorOutput" || canSplitErrors(ports?.outputs));
  return (
    <div className={css.form}>
      {flag("disabled", "Switched off", "Items pass through as if the node were not there.")}
      <Field label="On error" hint={ON_ERROR.find((choice) => choice.value === onError)?.hint}>
        <Select
          value={onError}
          onChange={(value) =>
            set("onError", value === "stopWorkflow" ? undefined : (value as typeof onError), "Change “On error”")
          }
          options={offered}
          label="On error"
          disabled={readOnly}
        />
      </Field>
      {flag("retryOnFail", "Retry on failure", "The node is tried again when it fails.")}
      {node.retryOnFail && (
        <div className={css.two}>
          <Field label="Tries at most">
            <NumberInput
              value={node.maxTries ?? TRIES.preset}
              min={TRIES.least}
              max={TRIES.most}
              onChange={(value) => set("maxTries", value, "Change the tries")}
              disabled={readOnly}
            />
          </Field>
          <Field label="Wait between (ms)">
            <NumberInput
              value={node.waitBetweenTries ?? WAIT_MS.preset}
              min={WAIT_MS.least}
              max={WAIT_MS.most}
              step={100}
              onChange={(value) => set("waitBetweenTries", value, "Change the wait")}
              disabled={readOnly}
            />
          </Field>
        </div>
      )}
      {flag(
        "alwaysOutputData",
        "Always output data",
        "An empty item goes on where there would be none, so the way does not end here.",
      )}
      {flag("executeOnce", "Execute once", "Only the first item is worked on.")}
      <Field label="Notes">
        <TextArea
          value={node.notes ?? ""}
          onChange={(event) => set("notes", event.target.value || undefined, "Change the notes")}
          placeholder="What the next reader should know"
          disabled={readOnly}
        />
      </Field>
      {node.notes && flag("notesInFlow", "Show notes on the canvas", "They stand under the node's name.")}
      <dl className={css.facts}>
        <dt>Type</dt>
        <dd>
          <code>{node.type}</code> <CopyButton text={node.type} label="Copy the type" />
        </dd>
        <dt>Version</dt>
        <dd>
          {node.typeVersion}
          {known && node.typeVersion < newest(known) && <span className={css.faint}> · new nodes get {newest(known)}</span>}
        </dd>
      </dl>
    </div>
  );
}
