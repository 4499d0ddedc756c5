/** Which drafts are open in other tabs: they are being worked on, so nobody has to be offered them. */

import { isRecord } from "../graph/normalize";

const CHANNEL = "heddle.drafts";
/** A tab that is there answers within this time. */
const REPLY_TIMEOUT_MS = 150;

type Message = { asks: true } | { open: string };

/** Answers other tabs with the draft that is open here, from now on. */
export function announceOpenDraft(openHere: () => string | null): void {
  if (typeof BroadcastChannel === "undefined") return;
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    const open = openHere();
    if (isRecord(data) && "asks" in data && open) channel.postMessage({ open } satisfies Message);
  };
}

/** The keys of the drafts that other tabs have open. */
export function draftsOpenElsewhere(): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  if (typeof BroadcastChannel === "undefined") return Promise.resolve(keys);
  const channel = new BroadcastChannel(CHANNEL);
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (isRecord(data) && typeof data.open === "string") keys.add(data.open);
  };
  channel.postMessage({ asks: true } satisfies Message);
  return new Promise((resolve) => {
    setTimeout(() => {
      channel.close();
      resolve(keys);
    }, REPLY_TIMEOUT_MS);
  });
}
