// The time of day for whatever shows how long something has been going on. It stands still when nothing goes on.

import { useEffect, useState } from "react";

export function useNow(isTicking: boolean, everyMs = 100): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!isTicking) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [isTicking, everyMs]);
  return now;
}
