// Shares a chat: its public address, the line that puts it into a page, and what is still missing for it to answer.

import { CircleCheck, CircleDashed, ExternalLink } from "lucide-react";
import { useWebhookOrigin } from "../api/instance";
import { useEditor } from "../editor/store";
import { nodeOf, setParameter } from "../graph/document";
import { CopyButton, Dialog, Field, Select, Switch } from "../ui";
import css from "./Chat.module.css";
import { doorOf } from "./door";

interface ShareDialogProps {
  open: boolean;
  onClose: () => void;
  /** The name of the chat trigger. */
  trigger: string;
}

const WAYS = [
  { value: "none", label: "Anybody who has the address" },
  { value: "basicAuth", label: "Anybody with a name and password", hint: "Choose the credential in the trigger." },
  { value: "n8nUserAuth", label: "People of this Heddle", hint: "They sign in first." },
];
const MODES = [
  { value: "hostedChat", label: "A page of its own" },
  { value: "webhook", label: "Only an address", hint: "For a chat in a page of yours." },
];

export function ShareDialog({ open, onClose, trigger }: ShareDialogProps) {
  const workflow = useEditor((state) => state.workflow);
  const dirty = useEditor((state) => state.dirty);
  const change = useEditor((state) => state.change);
  const readOnly = useEditor((state) => state.readOnly);
  const node = nodeOf(workflow, trigger);
  const origin = useWebhookOrigin();
  const door = node && doorOf(workflow, node, origin, window.location.origin);
  const set = (name: string, value: unknown) =>
    change(`Share the chat: ${name}`, (document) => setParameter(document, trigger, name, value));
  if (!node) return null;
  const isLive = door?.isPublic && door.isActive && !dirty;
  return (
    <Dialog open={open} onClose={onClose} title="Share this chat">
      {door ? (
        <div className={css.share}>
          <div className={css.shareRow}>
            <span>
              <b>Public</b>
              <br />
              <span className={css.quiet}>The chat has an address on the web.</span>
            </span>
            <Switch checked={door.isPublic} onChange={(is) => set("public", is)} label="Public" disabled={readOnly} />
          </div>
          {door.isPublic && (
            <>
              <Field label="Who may talk">
                <Select
                  label="Who may talk"
                  value={String(node.parameters.authentication ?? "none")}
                  onChange={(value) => set("authentication", value)}
                  options={WAYS}
                  disabled={readOnly}
                />
              </Field>
              <Field label="As">
                <Select
                  label="As"
                  value={String(node.parameters.mode ?? "hostedChat")}
                  onChange={(value) => set("mode", value)}
                  options={MODES}
                  disabled={readOnly}
                />
              </Field>
              <Line label="Address" text={door.url} href={isLive && door.mode === "hosted" ? door.url : undefined} />
              <Line label={door.mode === "hosted" ? "In a page" : "From a script"} text={door.embed} />
              <Missing isSaved={!dirty} isActive={door.isActive} />
            </>
          )}
        </div>
      ) : (
        <p>Save the workflow first. A manual chat trigger cannot be shared; use a chat trigger for that.</p>
      )}
    </Dialog>
  );
}

function Line({ label, text, href }: { label: string; text: string; href?: string }) {
  return (
    <div>
      <span className={css.lineLabel}>{label}</span>
      <div className={css.line}>
        <code>{text}</code>
        {href && (
          <a href={href} target="_blank" rel="noreferrer" aria-label="Open the chat in a new tab">
            <ExternalLink size={14} aria-hidden />
          </a>
        )}
        <CopyButton text={text} label={`Copy: ${label.toLowerCase()}`} />
      </div>
    </div>
  );
}

/** It answers once it is saved and active; a step that is not done yet says so. */
function Missing({ isSaved, isActive }: { isSaved: boolean; isActive: boolean }) {
  const steps = [
    { isDone: isSaved, text: isSaved ? "The workflow is saved" : "Save the workflow, so that the chat is what you see here" },
    { isDone: isActive, text: isActive ? "The workflow is active" : "Activate the workflow, so that the address answers" },
  ];
  return (
    <ul className={css.steps}>
      {steps.map(({ isDone, text }) => (
        <li key={text} data-done={isDone}>
          {isDone ? (
            <CircleCheck size={14} aria-label="Done" role="img" />
          ) : (
            <CircleDashed size={14} aria-label="Not done" role="img" />
          )}
          {text}
        </li>
      ))}
    </ul>
  );
}
