/** Conversations of the test chat: forgotten, and brought back. */
import { expect, it } from "vitest";
import { createUserMessage } from "./chatSessions";
import { useChat } from "./chatStore";

it("brings a forgotten conversation back, but only to its own workflow", () => {
  const chat = () => useChat.getState();
  chat().openWorkflow("first");
  const [session] = chat().sessions;
  if (!session) throw new Error("There is no conversation to begin with");
  chat().putMessage(session.id, createUserMessage("Hello", []));
  const said = chat().sessions.find((one) => one.id === session.id);
  if (!said) throw new Error("The conversation is gone");

  chat().deleteSession(said.id);
  expect(chat().sessions.some((one) => one.id === said.id)).toBe(false);
  chat().restoreSession("another", said);
  expect(chat().sessions.some((one) => one.id === said.id)).toBe(false);
  chat().restoreSession("first", said);
  chat().restoreSession("first", said);
  expect(chat().sessions.filter((one) => one.id === said.id)).toHaveLength(1);
  expect(chat().current).toBe(said.id);
});
