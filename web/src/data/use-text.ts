/** The beginning of a text file, without fetching the rest of a large one. */

import { useQuery } from "@tanstack/react-query";
import { checked } from "../api/client";

const MOST = 200_000;

export function useText(address: string) {
  return useQuery({
    queryKey: ["text", address],
    queryFn: ({ signal }) => beginning(address, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

async function beginning(address: string, signal: AbortSignal): Promise<{ text: string; cut: boolean }> {
  if (address.startsWith("data:")) return { text: inAddress(address), cut: false };
  const response = await fetch(checked(address), { signal });
  if (!response.ok || !response.body) throw new Error(`The file could not be read (${response.status}).`);
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), cut: false };
    text += decoder.decode(value, { stream: true });
    if (text.length > MOST) {
      await reader.cancel();
      return { text: text.slice(0, MOST), cut: true };
    }
  }
}

/** A small file is its own address. It is read here, because a page may not be allowed to fetch such addresses. */
function inAddress(address: string): string {
  const [head = "", body = ""] = address.split(/,(.*)/s);
  if (!head.endsWith(";base64")) return decodeURIComponent(body);
  return new TextDecoder().decode(Uint8Array.from(atob(body), (sign) => sign.charCodeAt(0)));
}
