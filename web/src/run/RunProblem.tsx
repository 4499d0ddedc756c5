// An error of a run or a node in three parts: what happened, where, and what to do; with its code and whatever else it carries.

import { CircleAlert } from "lucide-react";
import { Button, cx } from "../ui";
import { ErrorCode } from "./ErrorCode";
import { JsonBlock } from "./JsonBlock";
import css from "./RunProblem.module.css";
import type { RunFailure } from "./runView";

interface RunProblemProps {
  error: RunFailure;
  /** Given where the error is not already shown at its node. */
  onOpenNode?: (node: string) => void;
  isCompact?: boolean;
}

/** Fields that are shown in words of their own. */
const SHOWN_FIELDS = new Set([
  "code",
  "message",
  "description",
  "hint",
  "name",
  "node",
  "itemIndex",
  "stack",
]);

export function RunProblem({ error, onOpenNode, isCompact }: RunProblemProps) {
  const { code, message, description, hint, itemIndex } = error;
  const node = errorNode(error);
  const more = Object.entries(error).filter(
    ([key, value]) => !SHOWN_FIELDS.has(key) && value !== undefined && value !== null,
  );
  return (
    <div className={cx(css.problem, isCompact && css.compact)} role="alert">
      <CircleAlert size={16} aria-hidden className={css.mark} />
      <div className={css.words}>
        <p className={css.message}>{message}</p>
        {description && description !== message && <p className={css.description}>{description}</p>}
        {hint && <p className={css.hint}>{hint}</p>}
        <p className={css.where}>
          <ErrorCode code={code} />
          {node && onOpenNode && (
            <Button size="small" kind="quiet" onClick={() => onOpenNode(node)}>
              {code === "CREDENTIAL_MISSING" ? `Select a credential in ${node}` : `Open ${node}`}
            </Button>
          )}
          {typeof itemIndex === "number" && <span>at item {itemIndex}</span>}
        </p>
        {!isCompact && more.length > 0 && (
          <details className={css.more}>
            <summary>Details</summary>
            <JsonBlock value={Object.fromEntries(more)} label="error details" />
          </details>
        )}
      </div>
    </div>
  );
}

/** Some records name the node, others carry the whole of it. */
export function errorNode(error: RunFailure): string | null {
  const node: unknown = error.node;
  if (typeof node === "string") return node;
  return typeof node === "object" && node !== null && "name" in node ? String(node.name) : null;
}
