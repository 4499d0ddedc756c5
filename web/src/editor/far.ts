/** Whether so many nodes are in sight from so far away that each is drawn as a mere shape. */
import { createContext, useContext } from "react";

export const FarContext = createContext(false);

export function useFar(): boolean {
  return useContext(FarContext);
}

/** Below this zoom names cannot be read any more, so they are not drawn. */
export const FAR = 0.4;
/** With fewer nodes than this, the style sheet alone is quick enough. */
export const MANY = 150;
