// Whether the window is no wider than so many pixels, for what cannot be left out by styles alone.

import { useCallback, useSyncExternalStore } from "react";

export function useIsNarrow(most: number): boolean {
  const query = `(max-width: ${most}px)`;
  const listen = useCallback(
    (onChange: () => void) => {
      const media = window.matchMedia(query);
      media.addEventListener("change", onChange);
      return () => media.removeEventListener("change", onChange);
    },
    [query],
  );
  return useSyncExternalStore(listen, () => window.matchMedia(query).matches);
}
