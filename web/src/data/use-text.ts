/** The beginning of a text file, without fetching the rest of a large one. */

import { useQuery } from "@tanstack/react-query";

const MOST = 200_000;

export function useText(address: string) {
  return useQuery({
    queryKey: ["text", address],
    queryFn: ({ signal }) => beginning(address, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}

async function beginning(address: string, signal: AbortSignal): Promise<{ text: string; cut: boolean }> {
  const response = await fetch(address, { signal });
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
