// Whether the window is as narrow as a tablet's, for what cannot be left out by styles alone.

import { useSyncExternalStore } from "react";

const QUERY = "(max-width: 1000px)";

function listen(onChange: () => void): () => void {
  const query = window.matchMedia(QUERY);
  query.addEventListener("change", onChange);
  return () => query.removeEventListener("change", onChange);
}

export function useNarrow(): boolean {
  return useSyncExternalStore(listen, () => window.matchMedia(QUERY).matches);
}
