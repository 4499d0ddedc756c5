// Answers that are asked for while the code that will need them is still on its way.
import { api } from "./client";

const asked = new Map<string, Promise<unknown>>();

/** Asks for something below `/api/v1` now. What fails is forgotten: whoever needs it asks again and is told. */
export function askEarly(path: string) {
  const answer = api.get(path);
  asked.set(path, answer);
  answer.catch(() => asked.delete(path));
}

/** The answer that was asked for early, once; without one it is asked for now. */
export function answerTo<T>(path: string): Promise<T> {
  const answer = asked.get(path) as Promise<T> | undefined;
  asked.delete(path);
  return answer ?? api.get<T>(path);
}
