/** Makes a field of the data draggable, and lets it be chosen by click or key for the parameter that had the focus last. */

import type { DragEvent } from "react";
import { insertIntoFocused } from "../store/formContext";
import { toast } from "../ui";
import { endFieldDrag, startFieldDrag } from "./fieldDrag";

/** How the fields of the data that is shown are written in code; `null` where they are only looked at. */
export interface FieldPicking {
  codeOf: (path: readonly (string | number)[]) => string;
  /** Where a chosen field goes instead of into the parameter that had the focus last. */
  onPick?: (code: string) => void;
}

export function pickProps(
  picking: FieldPicking | null,
  path: readonly (string | number)[],
  sample: unknown,
) {
  if (!picking) return {};
  const code = picking.codeOf(path);
  return {
    draggable: true,
    title: code,
    onDragStart: (event: DragEvent) => {
      event.stopPropagation();
      startFieldDrag(event.dataTransfer, { code, path, sample });
    },
    onDragEnd: endFieldDrag,
  };
}

/** The same for many places at once: each has its path as `data-path`, and the frame around them has the listeners. */
export function pickListeners(
  picking: FieldPicking | null,
  sampleOf: (path: readonly (string | number)[], row: number) => unknown,
) {
  if (!picking) return {};
  return {
    onDragStart: (event: DragEvent) => {
      const place = (event.target as Element).closest<HTMLElement>("[data-path]");
      if (!place) return;
      const path = JSON.parse(place.dataset.path ?? "[]") as (string | number)[];
      const row = Number(place.closest<HTMLElement>("[data-item]")?.dataset.item ?? 0);
      startFieldDrag(event.dataTransfer, {
        code: picking.codeOf(path),
        path,
        sample: sampleOf(path, row),
      });
    },
    onDragEnd: endFieldDrag,
  };
}

/** What one of those places has. */
export function pickTargetProps(picking: FieldPicking | null, path: readonly (string | number)[]) {
  return picking ? { draggable: true, "data-path": JSON.stringify(path) } : {};
}

export function pickField(picking: FieldPicking, path: readonly (string | number)[]): void {
  const code = picking.codeOf(path);
  if (picking.onPick) picking.onPick(code);
  else if (!insertIntoFocused(code))
    toast({ text: "Click into a parameter first, then pick a field. Or drag the field onto it." });
}
