import { useEffect, useState } from "react";

const DEBOUNCE_MS = 250;

/** The value a moment after it stopped changing. */
export function useDebounced<T>(value: T, pause = DEBOUNCE_MS): T {
  const [paused, setPaused] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(value), pause);
    return () => clearTimeout(timer);
  }, [value, pause]);
  return paused;
}
