/** Level of detail: whether nodes are drawn as simple shapes, because the view is zoomed out or many of them are visible. */
import { createContext, useContext } from "react";

export const LowDetailContext = createContext(false);

export function useLowDetail(): boolean {
  return useContext(LowDetailContext);
}

/** Below this zoom small letters cannot be read any more, so names are large and the rest is left out. */
export const LOW_DETAIL_ZOOM = 0.4;
/** With more nodes than this the simple form begins earlier, where it also reads better than small letters. */
export const MANY_NODES = 150;
export const LOW_DETAIL_ZOOM_OF_MANY = 0.6;
/** Below this zoom no letters can be read. */
export const MIN_TEXT_ZOOM = 0.22;

/** A name as far as it fits on two lines; cut here, because hundreds of clipped boxes would slow the browser down. */
export function truncateName(name: string): string {
  return name.length > 26 ? `${name.slice(0, 25)}…` : name;
}
