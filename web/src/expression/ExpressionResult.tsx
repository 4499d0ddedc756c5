/** What an expression gives, in one line under it, for an item that can be chosen. */

import { ChevronLeft, ChevronRight } from "lucide-react";
import { useForm } from "../store/formContext";
import { cx, IconButton } from "../ui";
import css from "./Expression.module.css";
import { resultText } from "./resultText";
import type { Preview } from "./usePreview";

interface ExpressionResultProps {
  preview: Preview | undefined;
  late: boolean;
  noData: boolean;
  /** Whether another item can be chosen here. */
  chooser?: boolean;
  /** The whole text on many lines instead of its beginning on one. */
  whole?: boolean;
}

export function ExpressionResult({ preview, late, noData, chooser, whole }: ExpressionResultProps) {
  if (noData)
    return <p className={cx(css.result, css.faint)}>Run the previous nodes to see the result.</p>;
  if (!preview)
    return whole ? <p className={cx(css.result, css.faint)}>The result appears here.</p> : null;
  const error = preview.error;
  return (
    <div className={cx(css.result, late && css.late, error && css.failed)} aria-live="polite">
      {error ? (
        <span
          className={css.words}
          title={[error.description, error.hint].filter(Boolean).join(" ") || undefined}
        >
          {error.message}
          {whole && error.description && <small>{error.description}</small>}
          {whole && error.hint && <small>{error.hint}</small>}
        </span>
      ) : (
        <output
          className={cx(css.value, whole && css.wholeValue, preview.value === "" && css.faint)}
        >
          {resultText(preview, whole ?? false)}
        </output>
      )}
      {chooser && <ItemChooser />}
    </div>
  );
}

export function ItemChooser() {
  const { item, items, setItem } = useForm();
  if (items < 2) return null;
  // The editor must not lose the focus when the item changes.
  const keepFocus = (event: React.MouseEvent) => event.preventDefault();
  return (
    <span className={css.chooser} onMouseDown={keepFocus} role="group" aria-label="Preview item">
      <IconButton
        icon={ChevronLeft}
        label="Previous item"
        size="small"
        disabled={item === 0}
        onClick={() => setItem(item - 1)}
      />
      <span>
        {item + 1} of {items}
      </span>
      <IconButton
        icon={ChevronRight}
        label="Next item"
        size="small"
        disabled={item >= items - 1}
        onClick={() => setItem(item + 1)}
      />
    </span>
  );
}
