/** Answers that are asked for while the code that will need them is still on its way. It stands alone, so that it comes first. */
const pending = new Map<string, Promise<Response>>();

/** Asks for something now. An answer that is no good is forgotten when it comes: whoever needs it then asks again and is told. */
export function prefetch(address: string) {
  const answer = fetch(address);
  pending.set(address, answer);
  const forget = () => pending.delete(address);
  answer.then((response) => response.ok || forget(), forget);
}

/** The answer that was asked for early; it is given once. */
export function takePrefetched(address: string): Promise<Response> | undefined {
  const answer = pending.get(address);
  pending.delete(address);
  return answer;
}
