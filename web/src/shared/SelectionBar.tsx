/** The bar over a table while rows of it are chosen: how many, all or none, and what can be done with them. */
import { X } from "lucide-react";
import { type ReactNode, useState } from "react";
import { runBulk } from "../api/bulk";
import { Button, IconButton, plural, toast } from "../ui";
import layout from "./layout.module.css";

interface SelectionBarProps {
  /** What the rows are, one of them: “execution”. */
  noun: string;
  count: number;
  /** How many rows there are to choose from. */
  total: number;
  onAll: () => void;
  onNone: () => void;
  /** Buttons for what can be done. */
  children: ReactNode;
}

export function SelectionBar({ noun, count, total, onAll, onNone, children }: SelectionBarProps) {
  return (
    <div className={layout.toolbar} role="toolbar" aria-label={`Selected ${noun}s`}>
      <IconButton icon={X} label="Clear selection" size="small" onClick={onNone} />
      <span>{plural(count, noun)} selected</span>
      {count < total && (
        <Button size="small" kind="quiet" onClick={onAll}>
          Select all {total}
        </Button>
      )}
      <span className={layout.fill} />
      {children}
    </div>
  );
}

interface BulkAction {
  /** What is being done, so that its button can say so. */
  busy: string | null;
  /** Does it to each and tells how it went; `undo` is offered for those that it was done to. */
  act: (
    word: string,
    ids: readonly string[],
    one: (id: string) => Promise<unknown>,
    undo?: (ids: readonly string[]) => void,
  ) => Promise<void>;
}

/** The same thing done to all chosen rows. Afterwards nothing is chosen any more. */
export function useBulkAction(noun: string, onNone: () => void): BulkAction {
  const [busy, setBusy] = useState<string | null>(null);
  const act: BulkAction["act"] = async (word, ids, one, undo) => {
    setBusy(word);
    const { done, failed } = await runBulk(ids, one);
    setBusy(null);
    const [first] = failed;
    const text = `${plural(done.length, noun)} ${word}`;
    const takeBack = undo && done.length > 0 ? () => undo(done) : undefined;
    if (first)
      toast({
        text: `${text}, ${failed.length} failed: ${first.message}`,
        tone: "bad",
        undo: takeBack,
      });
    else toast({ text, tone: "good", undo: takeBack });
    onNone();
  };
  return { busy, act };
}
