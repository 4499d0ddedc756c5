/** A field of the data on its way into a parameter: what is dragged, and how both ends know of it. */

import { create } from "zustand";

export interface DraggedField {
  /** How it is written in an expression. */
  code: string;
  path: readonly (string | number)[];
  /** A value it has, from which the type of what it is dropped on can be told. */
  sample: unknown;
}

const MIME_TYPE = "application/x-heddle-field";

/** What is being dragged now. While something is over it, a page may not look into what is dragged, so it is kept here as well. */
export const useDraggedField = create<{ field: DraggedField | null }>()(() => ({ field: null }));

export function startFieldDrag(transfer: DataTransfer, field: DraggedField): void {
  transfer.effectAllowed = "copy";
  transfer.setData(MIME_TYPE, field.code);
  transfer.setData("text/plain", `{{ ${field.code} }}`);
  useDraggedField.setState({ field });
}

export function endFieldDrag(): void {
  useDraggedField.setState({ field: null });
}

export function isFieldDrag(transfer: DataTransfer | null): boolean {
  return transfer?.types.includes(MIME_TYPE) ?? false;
}

export function readDraggedField(transfer: DataTransfer): DraggedField | null {
  return isFieldDrag(transfer) ? useDraggedField.getState().field : null;
}
