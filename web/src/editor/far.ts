/** Whether so many nodes are in sight from so far away that each is drawn as a mere shape. */
import { createContext, useContext } from "react";

export const FarContext = createContext(false);

export function useFar(): boolean {
  return useContext(FarContext);
}

/** Below this zoom small letters cannot be read any more, so names are large and the rest is left out. */
export const FAR = 0.4;
/** With more nodes than this the simple form begins earlier, where it also reads better than small letters. */
export const MANY = 150;
export const FAR_OF_MANY = 0.6;
/** Below this zoom no letters can be read. */
export const TINY = 0.22;

/** A name as far as it fits on two lines; cut here, because hundreds of clipped boxes would slow the browser down. */
export function shortName(name: string): string {
  return name.length > 26 ? `${name.slice(0, 25)}…` : name;
}
