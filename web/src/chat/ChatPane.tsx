// The test chat: talk to the workflow on the canvas, saved or not, and see its words, tools and files as they come.

import { MessageSquarePlus, MessagesSquare, Share2, Trash2 } from "lucide-react";
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useMayChange } from "../api/session";
import { useEditor } from "../editor/store";
import { addNode } from "../graph/document";
import { Button, Empty, IconButton, Select, toast } from "../ui";
import { Bubble } from "./Bubble";
import css from "./Chat.module.css";
import { Composer } from "./Composer";
import { chatTriggers, newChatTrigger } from "./door";
import { ShareDialog } from "./ShareDialog";
import { listed, titleOf } from "./sessions";
import { say, useChat } from "./state";

export default function ChatPane() {
  const workflow = useEditor((state) => state.workflow);
  const readOnly = useEditor((state) => state.readOnly);
  const open = useChat((state) => state.open);
  useEffect(() => {
    open(workflow.id ?? "");
  }, [open, workflow.id]);
  const triggers = chatTriggers(workflow);
  const [wanted, setWanted] = useState<string | null>(null);
  const trigger = triggers.find((node) => node.name === wanted) ?? triggers[0];
  if (!trigger) return <NoChat />;
  return (
    <div className={css.pane}>
      <Head triggers={triggers.map((node) => node.name)} trigger={trigger.name} onTrigger={setWanted} />
      <Messages onAgain={(text) => void say(trigger.name, text, [])} />
      <Composer trigger={trigger} isReadOnly={readOnly} />
    </div>
  );
}

function NoChat() {
  const change = useEditor((state) => state.change);
  const readOnly = useEditor((state) => state.readOnly);
  return (
    <Empty
      icon={MessagesSquare}
      title="This workflow takes no messages"
      text="With a chat trigger at its start you can talk to it here, and share it as a page."
      action={
        !readOnly && (
          <Button
            kind="primary"
            onClick={() => change("Add a chat trigger", (document) => addNode(document, newChatTrigger(document)))}
          >
            Add a chat trigger
          </Button>
        )
      }
    />
  );
}

interface HeadProps {
  triggers: string[];
  trigger: string;
  onTrigger: (name: string) => void;
}

function Head({ triggers, trigger, onTrigger }: HeadProps) {
  const { sessions, current, choose, begin, forget, bringBack, workflowId } = useChat();
  const [isSharing, setSharing] = useState(false);
  const all = listed(sessions, current);
  const isEmpty = all.find((session) => session.id === current)?.messages.length === 0;
  const drop = () => {
    const gone = all.find((session) => session.id === current);
    forget(current);
    if (gone) toast({ text: "The conversation is forgotten", undo: () => bringBack(workflowId, gone) });
  };
  return (
    <header className={css.head}>
      <Select
        dense
        label="Conversation"
        className={css.sessions}
        value={current}
        onChange={choose}
        options={all.map((session) => ({ value: session.id, label: titleOf(session) }))}
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
      <IconButton icon={MessageSquarePlus} label="New conversation" size="small" disabled={isEmpty} onClick={begin} />
      <IconButton icon={Trash2} label="Forget this conversation" size="small" disabled={isEmpty} onClick={drop} />
      <span className={css.space} />
      <Button size="small" kind="quiet" icon={Share2} onClick={() => setSharing(true)}>
        Share
      </Button>
      <ShareDialog open={isSharing} onClose={() => setSharing(false)} trigger={trigger} />
    </header>
  );
}

function Messages({ onAgain }: { onAgain: (text: string) => void }) {
  const mayChange = useMayChange();
  const session = useChat((state) => state.sessions.find((one) => one.id === state.current));
  const frame = useRef<HTMLDivElement>(null);
  const messages = session?.messages ?? [];
  useEnd(frame, messages);
  if (messages.length === 0) {
    return (
      <div className={css.messages}>
        <p className={css.quiet}>
          {mayChange
            ? "Say something. The workflow on the canvas answers, also before it is saved or active."
            : "Whoever may change the workflow can try it here. Share has the address at which anybody talks to it."}
        </p>
      </div>
    );
  }
  const isComing = messages.at(-1)?.state === "coming";
  return (
    <div ref={frame} className={css.messages} role="log" aria-label="Conversation" aria-busy={isComing}>
      {messages.map((message, at) => (
        <Bubble
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
function useEnd(frame: RefObject<HTMLDivElement | null>, messages: readonly unknown[]): void {
  const isNear = useRef(true);
  useEffect(() => {
    const element = frame.current;
    const look = () => {
      if (element) isNear.current = element.scrollHeight - element.scrollTop - element.clientHeight < 80;
    };
    element?.addEventListener("scroll", look, { passive: true });
    return () => element?.removeEventListener("scroll", look);
  }, [frame]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows whatever is said.
  useLayoutEffect(() => {
    if (frame.current && isNear.current) frame.current.scrollTop = frame.current.scrollHeight;
  }, [messages]);
}
