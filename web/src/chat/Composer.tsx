// The field for a message, with files that are picked, pasted or dropped. Enter sends, Shift+Enter begins a line.

import { ArrowUp, Paperclip, Square, X } from "lucide-react";
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { useCanEdit } from "../api/session";
import type { WorkflowNode } from "../api/workflowDocument";
import { isOver } from "../run/runView";
import { useDrawer } from "../store/drawerStore";
import { useEditor } from "../store/editorStore";
import { bytes, cx, IconButton, toast } from "../ui";
import { acceptsFile, readFile } from "./attachments";
import css from "./Chat.module.css";
import type { ChatFile } from "./chatSessions";
import { sendMessage, stopAnswer, useChat } from "./chatStore";

function lastMessage({ sessions, current }: ReturnType<typeof useChat.getState>) {
  return sessions.find((one) => one.id === current)?.messages.at(-1);
}

/** Whether somebody still works on the last answer. What is fetched after the end of its run keeps no message waiting. */
function useIsAnswerComing(): boolean {
  const isComing = useChat((state) => lastMessage(state)?.state === "coming");
  const executionId = useChat((state) => lastMessage(state)?.executionId);
  const hasEnded = useEditor(
    ({ run }) => run !== null && run.executionId === executionId && isOver(run),
  );
  return isComing && !hasEnded;
}

interface ComposerProps {
  trigger: WorkflowNode;
  isReadOnly: boolean;
}

export function Composer({ trigger, isReadOnly }: ComposerProps) {
  const canEdit = useCanEdit();
  const [text, setText] = useState("");
  const [files, setFiles] = useState<ChatFile[]>([]);
  const [isDraggedOver, setDraggedOver] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const picker = useRef<HTMLInputElement>(null);
  const isComing = useIsAnswerComing();
  const canSend = !isComing && !isReadOnly && (text.trim() !== "" || files.length > 0);

  const asks = useDrawer((state) => state.messageRequested);
  useEffect(() => {
    if (asks === 0 || !field.current) return;
    field.current.focus();
    useDrawer.getState().takeMessageRequest();
  }, [asks]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: the field is as high as its text.
  useLayoutEffect(() => {
    if (!field.current) return;
    field.current.style.height = "auto";
    field.current.style.height = `${Math.min(160, field.current.scrollHeight)}px`;
  }, [text]);

  const send = () => {
    if (!canSend) return;
    setText("");
    setFiles([]);
    void sendMessage(trigger.name, text.trim(), files);
    field.current?.focus();
  };
  const take = async (list: FileList | null) => {
    for (const file of list ?? []) {
      if (!acceptsFile(trigger, file)) {
        toast({ text: `This chat does not accept the file type of ${file.name}.`, tone: "bad" });
        continue;
      }
      try {
        const read = await readFile(file);
        setFiles((before) => [...before.filter((one) => one.name !== read.name), read]);
      } catch (error) {
        toast({ text: (error as Error).message, tone: "bad" });
      }
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Escape" && isComing) void stopAnswer();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length > 0) void take(event.clipboardData.files);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    setDraggedOver(false);
    void take(event.dataTransfer.files);
  };

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can also be picked with the button.
    <div
      className={cx(css.composer, isDraggedOver && css.over)}
      onDrop={onDrop}
      onDragOver={(event) => {
        event.preventDefault();
        setDraggedOver(true);
      }}
      onDragLeave={() => setDraggedOver(false)}
    >
      {files.length > 0 && (
        <ul className={css.files}>
          {files.map((file) => (
            <li key={file.name}>
              <Paperclip size={12} aria-hidden /> {file.name} <span>{bytes(file.size)}</span>
              <button
                type="button"
                aria-label={`Remove ${file.name}`}
                onClick={() => setFiles(files.filter((one) => one !== file))}
              >
                <X size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div className={css.field}>
        <IconButton
          icon={Paperclip}
          label="Attach file"
          size="small"
          disabled={isReadOnly}
          onClick={() => picker.current?.click()}
        />
        <input
          ref={picker}
          type="file"
          multiple
          hidden
          onChange={(event) => void take(event.target.files)}
        />
        <textarea
          ref={field}
          rows={1}
          value={text}
          aria-label="Message"
          placeholder={
            !isReadOnly
              ? "Message"
              : canEdit
                ? "Go back to the editor to send messages"
                : "View only"
          }
          disabled={isReadOnly}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        {isComing ? (
          <IconButton
            icon={Square}
            label="Stop reply"
            shortcut="Esc"
            size="small"
            kind="plain"
            onClick={() => void stopAnswer()}
          />
        ) : (
          <IconButton
            icon={ArrowUp}
            label="Send"
            shortcut="Enter"
            size="small"
            kind="primary"
            disabled={!canSend}
            onClick={send}
          />
        )}
      </div>
    </div>
  );
}
