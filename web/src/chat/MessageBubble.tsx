// One message: words, files, and between the words what the agent did, folded to a line each.

import {
  Bot,
  ChevronRight,
  CircleAlert,
  CircleCheck,
  LoaderCircle,
  Paperclip,
  RotateCcw,
  Route,
} from "lucide-react";
import { useLocation } from "wouter";
import { urlPath } from "../api/url";
import { ApprovalCard } from "../run/ApprovalCard";
import type { ToolPart } from "../run/answer";
import type { ApprovalRequest } from "../run/approval";
import { JsonBlock } from "../run/JsonBlock";
import { RunProblem } from "../run/RunProblem";
import { useDrawer } from "../store/drawerStore";
import { useEditor } from "../store/editorStore";
import { Button, bytes, CopyButton, cx, duration, Markdown } from "../ui";
import css from "./Chat.module.css";
import type { ChatMessage } from "./chatSessions";

interface MessageBubbleProps {
  message: ChatMessage;
  onAgain: () => void;
  isLast: boolean;
}

export function MessageBubble({ message, onAgain, isLast }: MessageBubbleProps) {
  if (message.from === "person") {
    return (
      <article className={cx(css.message, css.person)} aria-label="You">
        {message.text && <p className={css.text}>{message.text}</p>}
        {message.files.length > 0 && (
          <ul className={css.files}>
            {message.files.map((file) => (
              <li key={file.name}>
                <Paperclip size={12} aria-hidden /> {file.name} <span>{bytes(file.size)}</span>
              </li>
            ))}
          </ul>
        )}
      </article>
    );
  }
  return <Reply message={message} onAgain={onAgain} isLast={isLast} />;
}

function Reply({ message, onAgain, isLast }: MessageBubbleProps) {
  const openNode = useEditor((state) => state.openNode);
  const { parts, state, error, executionId } = message;
  const words = parts.filter((part) => part.kind === "text").map((part) => part.text);
  return (
    <article className={cx(css.message, css.workflow)} aria-label="Workflow">
      <Bot size={16} aria-hidden className={css.face} />
      <div className={css.said}>
        {parts.map((part, at) =>
          part.kind === "tool" ? (
            <ToolCallRow key={at} part={part} executionId={executionId} />
          ) : (
            part.text.trim() && (
              <div key={at} className={css.text}>
                <Markdown text={part.text} />
              </div>
            )
          ),
        )}
        {state === "coming" && <PendingApprovals message={message} />}
        {state === "coming" && parts.at(-1)?.kind !== "text" && (
          <p className={css.typing} role="status" aria-label="Replying">
            <i />
            <i />
            <i />
          </p>
        )}
        {state === "stopped" && <p className={css.quiet}>Stopped.</p>}
        {state === "done" && parts.length === 0 && !message.text && (
          <p className={css.quiet}>The workflow returned an empty reply.</p>
        )}
        {error && <RunProblem error={error} onOpenNode={openNode} isCompact />}
        {state !== "coming" && (
          <footer className={css.tools}>
            {words.length > 0 && <CopyButton text={words.join("\n\n")} label="Copy reply" />}
            {executionId && <RunLink executionId={executionId} />}
            {isLast && (state === "failed" || state === "stopped") && (
              <Button size="small" kind="quiet" icon={RotateCcw} onClick={onAgain}>
                Try again
              </Button>
            )}
          </footer>
        )}
      </div>
    </article>
  );
}

/** Leads to what happened behind an answer: the timeline if its run is in sight, the execution otherwise. */
function RunLink({ executionId }: { executionId: string }) {
  const isInSight = useEditor((state) => state.run?.executionId === executionId);
  const workflowId = useEditor((state) => state.workflow.id);
  const show = useDrawer((state) => state.show);
  const [, go] = useLocation();
  const open = () => {
    if (isInSight) show("timeline");
    else go(urlPath`/workflow/${workflowId}/executions/${executionId}`);
  };
  return (
    <Button size="small" kind="quiet" icon={Route} onClick={open}>
      {isInSight ? "Timeline" : `Execution ${executionId}`}
    </Button>
  );
}

const NO_APPROVALS: readonly ApprovalRequest[] = [];

/** Questions of the run that were asked before anybody listened to the answer, so that no part of it tells them. */
function PendingApprovals({ message }: { message: ChatMessage }) {
  const { executionId, parts } = message;
  const asked = useEditor((state) =>
    executionId && state.run?.executionId === executionId ? state.run.approvals : NO_APPROVALS,
  );
  const isTold = (one: ApprovalRequest) =>
    parts.some((part) => part.kind === "tool" && part.asked?.call === one.call && part.isRunning);
  return asked
    .filter((one) => !one.decision && !isTold(one))
    .map((one) => <ApprovalCard key={`${one.node} ${one.call}`} asked={one} />);
}

function ToolCallRow({ part, executionId }: { part: ToolPart; executionId?: string | null }) {
  const asked = part.asked;
  const told = useEditor((state) =>
    asked && state.run?.executionId === executionId
      ? state.run?.approvals.find((one) => one.call === asked.call && one.node === asked.node)
      : undefined,
  );
  if (asked && executionId && part.isRunning && !told?.decision) {
    return <ApprovalCard asked={told ?? { ...asked, executionId }} />;
  }
  const Icon = part.isRunning ? LoaderCircle : part.isError ? CircleAlert : CircleCheck;
  const state = part.isRunning ? "running" : part.isError ? "failed" : "done";
  return (
    <details className={css.tool} data-state={state}>
      <summary>
        <ChevronRight size={13} aria-hidden className={css.arrow} />
        <Icon size={13} aria-label={state} role="img" className={css.toolMark} />
        <span>{part.name}</span>
        {part.durationMs !== null && <span className={css.quiet}>{duration(part.durationMs)}</span>}
      </summary>
      <div className={css.toolBody}>
        {part.arguments !== undefined && (
          <JsonBlock value={part.arguments} label={`arguments of ${part.name}`} />
        )}
        {part.result !== undefined && (
          <JsonBlock value={part.result} label={`result of ${part.name}`} />
        )}
      </div>
    </details>
  );
}
