/** Answers that are asked for while the code that will need them is still on its way. It stands alone, so that it comes first. */
const asked = new Map<string, Promise<Response>>();

/** Asks for something now. An answer that is no good is forgotten when it comes: whoever needs it then asks again and is told. */
export function askEarly(address: string) {
  const answer = fetch(address);
  asked.set(address, answer);
  const forget = () => asked.delete(address);
  answer.then((response) => response.ok || forget(), forget);
}

/** The answer that was asked for early; it is given once. */
export function takeEarly(address: string): Promise<Response> | undefined {
  const answer = asked.get(address);
  asked.delete(address);
  return answer;
}
