/** Makes a field of the data draggable, and lets it be chosen by click or key for the parameter that had the focus last. */

import type { DragEvent } from "react";
import { insertIntoFocused } from "../fields/form";
import { toast } from "../ui";
import { endDrag, startDrag } from "./drag";

/** Whose data is shown and how its fields are written in code; `null` where fields are only looked at. */
export interface Picking {
  node: string;
  codeOf: (path: readonly (string | number)[]) => string;
  /** Where a chosen field goes instead of into the parameter that had the focus last. */
  onPick?: (code: string) => void;
}

export function pickProps(picking: Picking | null, path: readonly (string | number)[], sample: unknown) {
  if (!picking) return {};
  const code = picking.codeOf(path);
  return {
    draggable: true,
    title: code,
    onDragStart: (event: DragEvent) => {
      event.stopPropagation();
      startDrag(event.dataTransfer, { node: picking.node, path, sample }, `{{ ${code} }}`);
    },
    onDragEnd: endDrag,
  };
}

export function pick(picking: Picking, path: readonly (string | number)[]): void {
  const code = picking.codeOf(path);
  if (picking.onPick) picking.onPick(code);
  else if (!insertIntoFocused(code))
    toast({ text: "Click into a parameter first; then a chosen field goes there. Or drag the field." });
}
