// The test chat: talk to the workflow on the canvas, saved or not, and see its words, tools and files as they come.

import { MessageSquarePlus, MessagesSquare, Share2, Trash2 } from "lucide-react";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useCatalogue } from "../api/catalogue";
import { useCanEdit } from "../api/session";
import { chatTriggers, createChatTrigger } from "../graph/chatEndpoint";
import { addNode } from "../graph/document";
import { useEditor } from "../store/editorStore";
import { Button, EmptyState, IconButton, Select, toast } from "../ui";
import css from "./Chat.module.css";
import { Composer } from "./Composer";
import { sessionTitle, sortSessions } from "./chatSessions";
import { sendMessage, useChat } from "./chatStore";
import { MessageBubble } from "./MessageBubble";
import { ShareChatDialog } from "./ShareChatDialog";

export default function ChatPane() {
  const workflow = useEditor((state) => state.workflow);
  const readOnly = useEditor((state) => state.readOnly);
  const open = useChat((state) => state.openWorkflow);
  useEffect(() => {
    open(workflow.id ?? "");
  }, [open, workflow.id]);
  const triggers = chatTriggers(workflow, useCatalogue());
  const [wanted, setWanted] = useState<string | null>(null);
  const trigger = triggers.find((node) => node.name === wanted) ?? triggers[0];
  if (!trigger) return <NoChatTrigger />;
  return (
    <div className={css.pane}>
      <ChatHeader
        triggers={triggers.map((node) => node.name)}
        trigger={trigger.name}
        onTrigger={setWanted}
      />
      <Messages onAgain={(text) => void sendMessage(trigger.name, text, [])} />
      <Composer trigger={trigger} isReadOnly={readOnly} />
    </div>
  );
}

function NoChatTrigger() {
  const spec = useCatalogue()
    .types()
    .find((type) => type.trigger === "chat");
  const change = useEditor((state) => state.change);
  const readOnly = useEditor((state) => state.readOnly);
  return (
    <EmptyState
      icon={MessagesSquare}
      title="This workflow has no chat trigger"
      text="Add one to chat with the workflow here and share it as a page."
      action={
        !readOnly &&
        spec && (
          <Button
            kind="primary"
            onClick={() =>
              change("Add chat trigger", (document) =>
                addNode(document, createChatTrigger(document, spec)),
              )
            }
          >
            Add chat trigger
          </Button>
        )
      }
    />
  );
}

interface ChatHeaderProps {
  triggers: string[];
  trigger: string;
  onTrigger: (name: string) => void;
}

function ChatHeader({ triggers, trigger, onTrigger }: ChatHeaderProps) {
  const {
    sessions,
    current,
    selectSession,
    startSession,
    deleteSession,
    restoreSession,
    workflowId,
  } = useChat();
  const [isSharing, setSharing] = useState(false);
  const all = sortSessions(sessions, current);
  const isEmpty = all.find((session) => session.id === current)?.messages.length === 0;
  const drop = () => {
    const gone = all.find((session) => session.id === current);
    deleteSession(current);
    if (gone) toast({ text: "Conversation deleted", undo: () => restoreSession(workflowId, gone) });
  };
  return (
    <header className={css.head}>
      <Select
        dense
        label="Conversation"
        className={css.sessions}
        value={current}
        onChange={selectSession}
        options={all.map((session) => ({ value: session.id, label: sessionTitle(session) }))}
      />
      {triggers.length > 1 && (
        <Select
          dense
          label="Chat trigger"
          value={trigger}
          onChange={onTrigger}
          options={triggers.map((name) => ({ value: name, label: name }))}
        />
      )}
      <IconButton
        icon={MessageSquarePlus}
        label="New conversation"
        size="small"
        disabled={isEmpty}
        onClick={startSession}
      />
      <IconButton
        icon={Trash2}
        label="Delete conversation"
        size="small"
        disabled={isEmpty}
        onClick={drop}
      />
      <span className={css.space} />
      <Button size="small" kind="quiet" icon={Share2} onClick={() => setSharing(true)}>
        Share
      </Button>
      <ShareChatDialog open={isSharing} onClose={() => setSharing(false)} trigger={trigger} />
    </header>
  );
}

function Messages({ onAgain }: { onAgain: (text: string) => void }) {
  const canEdit = useCanEdit();
  const session = useChat((state) => state.sessions.find((one) => one.id === state.current));
  const frame = useRef<HTMLDivElement>(null);
  const messages = session?.messages ?? [];
  useStickToBottom(frame, messages);
  if (messages.length === 0) {
    return (
      <div className={css.messages}>
        <p className={css.quiet}>
          {canEdit
            ? "Send a message. The workflow on the canvas replies, even before it is saved or active."
            : "Editors can test the chat here. Click Share for the public chat URL."}
        </p>
      </div>
    );
  }
  const isComing = messages.at(-1)?.state === "coming";
  return (
    <div
      ref={frame}
      className={css.messages}
      role="log"
      aria-label="Conversation"
      aria-busy={isComing}
    >
      {messages.map((message, at) => (
        <MessageBubble
          key={message.id}
          message={message}
          onAgain={() => onAgain(messages[at - 1]?.text ?? "")}
          isLast={at === messages.length - 1}
        />
      ))}
    </div>
  );
}

/** Keeps the end in sight, unless somebody reads further up. */
function useStickToBottom(
  frame: RefObject<HTMLDivElement | null>,
  messages: readonly unknown[],
): void {
  const isNear = useRef(true);
  useEffect(() => {
    const element = frame.current;
    const look = () => {
      if (element)
        isNear.current = element.scrollHeight - element.scrollTop - element.clientHeight < 80;
    };
    element?.addEventListener("scroll", look, { passive: true });
    return () => element?.removeEventListener("scroll", look);
  }, [frame]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows whatever is said.
  useLayoutEffect(() => {
    if (frame.current && isNear.current) frame.current.scrollTop = frame.current.scrollHeight;
  }, [messages]);
}
