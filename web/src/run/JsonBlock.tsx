// A value as readable JSON, cut where it becomes too long to be drawn at once, with a button that copies all of it.

import { useMemo, useState } from "react";
import { Button, CopyButton } from "../ui";
import css from "./JsonBlock.module.css";

/** A browser draws this much text without a pause. */
const MAX_SHOWN_CHARS = 20_000;

interface JsonBlockProps {
  value: unknown;
  /** Said to those who cannot see it, and on the copy button. */
  label: string;
}

export function JsonBlock({ value, label }: JsonBlockProps) {
  const text = useMemo(() => formatJson(value), [value]);
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && text.length > MAX_SHOWN_CHARS;
  return (
    <div className={css.block}>
      <div className={css.copy}>
        <CopyButton text={text} label={`Copy ${label}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <pre aria-label={label} tabIndex={0} role="region">
        {isCut ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text}
      </pre>
      {isCut && (
        <Button size="small" kind="quiet" onClick={() => setWhole(true)}>
          Show all {Math.round(text.length / 1000)} KB
        </Button>
      )}
    </div>
  );
}

/** Text that is JSON itself is shown as JSON: models and tools speak so. */
export function formatJson(value: unknown): string {
  if (typeof value !== "string") return JSON.stringify(value, null, 2) ?? "";
  if (!/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.stringify(JSON.parse(value), null, 2);
  } catch {
    return value;
  }
}
