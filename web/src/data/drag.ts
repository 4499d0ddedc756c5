/** A field of the data on its way into a parameter: what is dragged, and how both ends know of it. */

import { create } from "zustand";

export interface DraggedField {
  /** How it is written in an expression. */
  code: string;
  path: readonly (string | number)[];
  /** A value it has, from which the type of what it is dropped on can be told. */
  sample: unknown;
}

const TYPE = "application/x-heddle-field";

/** What is being dragged now. While something is over it, a page may not look into what is dragged, so it is kept here as well. */
export const useDragged = create<{ field: DraggedField | null }>()(() => ({ field: null }));

export function startDrag(transfer: DataTransfer, field: DraggedField): void {
  transfer.effectAllowed = "copy";
  transfer.setData(TYPE, field.code);
  transfer.setData("text/plain", `{{ ${field.code} }}`);
  useDragged.setState({ field });
}

export function endDrag(): void {
  useDragged.setState({ field: null });
}

export function isFieldDrag(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes(TYPE) ?? false;
}

export function readDragged(transfer: DataTransfer): DraggedField | null {
  return isFieldDrag(transfer) ? useDragged.getState().field : null;
}
