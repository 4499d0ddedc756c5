/** Conversations of the test chat: forgotten, and brought back. */
import { expect, it } from "vitest";
import { personSays } from "./sessions";
import { useChat } from "./state";

it("brings a forgotten conversation back, but only to its own workflow", () => {
  const chat = () => useChat.getState();
  chat().open("first");
  const [session] = chat().sessions;
  if (!session) throw new Error("There is no conversation to begin with");
  chat().put(session.id, personSays("Hello", []));
  const said = chat().sessions.find((one) => one.id === session.id);
  if (!said) throw new Error("The conversation is gone");

  chat().forget(said.id);
  expect(chat().sessions.some((one) => one.id === said.id)).toBe(false);
  chat().bringBack("another", said);
  expect(chat().sessions.some((one) => one.id === said.id)).toBe(false);
  chat().bringBack("first", said);
  chat().bringBack("first", said);
  expect(chat().sessions.filter((one) => one.id === said.id)).toHaveLength(1);
  expect(chat().current).toBe(said.id);
});
