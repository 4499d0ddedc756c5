/** The beginning of a text file, without fetching the rest of a large one. */

import { useQuery } from "@tanstack/react-query";
import { checkUrl } from "../api/client";

const MAX_CHARS = 200_000;

export function useTextFile(address: string) {
  return useQuery({
    queryKey: ["text", address],
    queryFn: ({ signal }) => fetchStart(address, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

async function fetchStart(
  address: string,
  signal: AbortSignal,
): Promise<{ text: string; cut: boolean }> {
  if (address.startsWith("data:")) return { text: decodeDataUrl(address), cut: false };
  const response = await fetch(checkUrl(address), { signal });
  if (!response.ok || !response.body)
    throw new Error(`Could not read the file (${response.status}).`);
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), cut: false };
    text += decoder.decode(value, { stream: true });
    if (text.length > MAX_CHARS) {
      await reader.cancel();
      return { text: text.slice(0, MAX_CHARS), cut: true };
    }
  }
}

/** A small file is its own address. It is read here, because a page may not be allowed to fetch such addresses. */
function decodeDataUrl(address: string): string {
  const [head = "", body = ""] = address.split(/,(.*)/s);
  if (!head.endsWith(";base64")) return decodeURIComponent(body);
  return new TextDecoder().decode(Uint8Array.from(atob(body), (sign) => sign.charCodeAt(0)));
}
