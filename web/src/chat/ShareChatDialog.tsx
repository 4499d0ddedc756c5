// Shares a chat: its public address, the line that puts it into a page, and what is still missing for it to answer.

import { CircleCheck, CircleDashed, ExternalLink } from "lucide-react";
import { useCatalogue } from "../api/catalogue";
import { useWebhookOrigin } from "../api/instance";
import { getChatEndpoint } from "../graph/chatEndpoint";
import { findNode, setParameter } from "../graph/document";
import { useEditor } from "../store/editorStore";
import { CopyButton, Dialog, Field, Select, Switch } from "../ui";
import css from "./Chat.module.css";

interface ShareChatDialogProps {
  open: boolean;
  onClose: () => void;
  /** The name of the chat trigger. */
  trigger: string;
}

const AUTH_OPTIONS = [
  { value: "none", label: "Anyone with the URL" },
  {
    value: "basicAuth",
    label: "Anyone with a username and password",
    hint: "Select the credential in the trigger.",
  },
  { value: "n8nUserAuth", label: "Heddle users", hint: "Requires sign-in." },
];
const MODE_OPTIONS = [
  { value: "hostedChat", label: "Hosted page" },
  { value: "webhook", label: "API endpoint", hint: "For a chat in your own page." },
];

export function ShareChatDialog({ open, onClose, trigger }: ShareChatDialogProps) {
  const workflow = useEditor((state) => state.workflow);
  const dirty = useEditor((state) => state.dirty);
  const change = useEditor((state) => state.change);
  const readOnly = useEditor((state) => state.readOnly);
  const node = findNode(workflow, trigger);
  const origin = useWebhookOrigin();
  const types = useCatalogue();
  const door = node && getChatEndpoint(workflow, node, types, origin, window.location.origin);
  const set = (name: string, value: unknown) =>
    change(`Share the chat: ${name}`, (document) => setParameter(document, trigger, name, value));
  if (!node) return null;
  const isLive = door?.isPublic && door.isActive && !dirty;
  return (
    <Dialog open={open} onClose={onClose} title="Share chat">
      {door ? (
        <div className={css.share}>
          <div className={css.shareRow}>
            <span>
              <b>Public</b>
              <br />
              <span className={css.quiet}>Make the chat available at a public URL.</span>
            </span>
            <Switch
              checked={door.isPublic}
              onChange={(is) => set("public", is)}
              label="Public"
              disabled={readOnly}
            />
          </div>
          {door.isPublic && (
            <>
              <Field label="Access">
                <Select
                  label="Access"
                  value={String(node.parameters.authentication ?? "none")}
                  onChange={(value) => set("authentication", value)}
                  options={AUTH_OPTIONS}
                  disabled={readOnly}
                />
              </Field>
              <Field label="Mode">
                <Select
                  label="Mode"
                  value={String(node.parameters.mode ?? "hostedChat")}
                  onChange={(value) => set("mode", value)}
                  options={MODE_OPTIONS}
                  disabled={readOnly}
                />
              </Field>
              <CopyRow
                label="URL"
                text={door.url}
                href={isLive && door.mode === "hosted" ? door.url : undefined}
              />
              <CopyRow
                label={door.mode === "hosted" ? "Embed in a page" : "Call from a script"}
                text={door.embed}
              />
              <SetupChecklist isSaved={!dirty} isActive={door.isActive} />
            </>
          )}
        </div>
      ) : (
        <p>
          Save the workflow first. Manual chat triggers cannot be shared. Use a chat trigger
          instead.
        </p>
      )}
    </Dialog>
  );
}

function CopyRow({ label, text, href }: { label: string; text: string; href?: string }) {
  return (
    <div>
      <span className={css.lineLabel}>{label}</span>
      <div className={css.line}>
        <code>{text}</code>
        {href && (
          <a href={href} target="_blank" rel="noreferrer" aria-label="Open chat in a new tab">
            <ExternalLink size={14} aria-hidden />
          </a>
        )}
        <CopyButton text={text} label={`Copy: ${label}`} />
      </div>
    </div>
  );
}

/** It answers once it is saved and active; a step that is not done yet says so. */
function SetupChecklist({ isSaved, isActive }: { isSaved: boolean; isActive: boolean }) {
  const steps = [
    {
      isDone: isSaved,
      text: isSaved ? "Workflow saved" : "Save the workflow to publish your changes",
    },
    {
      isDone: isActive,
      text: isActive ? "Workflow active" : "Activate the workflow to enable the URL",
    },
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
