import { describe, expect, it } from "vitest";
import {
  chatInputItem,
  createPendingReply,
  createSession,
  createUserMessage,
  parseSessions,
  serializeSessions,
  sessionTitle,
  sortSessions,
  withMessage,
} from "./chatSessions";

describe("a conversation", () => {
  it("is named by the first words in it", () => {
    expect(sessionTitle(createSession())).toBe("New conversation");
    expect(
      sessionTitle(withMessage(createSession(), createUserMessage("What is six times seven?", []))),
    ).toBe("What is six times seven?");
    expect(
      sessionTitle(withMessage(createSession(), createUserMessage("x".repeat(80), []))).length,
    ).toBe(48);
  });

  it("changes a message in its place", () => {
    const answer = createPendingReply();
    const session = withMessage(withMessage(createSession(), createUserMessage("a", [])), answer);
    const done = withMessage(session, { ...answer, text: "b", state: "done" });
    expect(done.messages.map((message) => message.text)).toEqual(["a", "b"]);
  });

  it("is kept without the bytes of its files, and an answer that was coming has stopped", () => {
    const file = { name: "a.txt", mimeType: "text/plain", size: 3, data: "YWJj" };
    const session = withMessage(
      withMessage(createSession(), createUserMessage("a", [file])),
      createPendingReply(),
    );
    const [kept] = parseSessions(serializeSessions([session]));
    expect(kept?.messages[0]?.files).toEqual([{ name: "a.txt", mimeType: "text/plain", size: 3 }]);
    expect(kept?.messages[1]?.state).toBe("stopped");
  });

  it("is not read from what is none", () => {
    expect(parseSessions("{")).toEqual([]);
    expect(parseSessions('[{"id":1},null]')).toEqual([]);
    expect(parseSessions(null)).toEqual([]);
  });

  it("is listed once something was said, the newest first", () => {
    const old = withMessage(createSession(1), createUserMessage("old", []));
    const fresh = withMessage(createSession(2), createUserMessage("new", []));
    const empty = createSession(3);
    expect(sortSessions([old, fresh, empty], "").map((session) => session.beganMs)).toEqual([2, 1]);
    expect(sortSessions([old, empty], empty.id).map((session) => session.beganMs)).toEqual([3, 1]);
  });
});

describe("a message", () => {
  it("becomes the item that a chat trigger gives", () => {
    expect(chatInputItem("s", "Hello", [])).toEqual({
      json: { sessionId: "s", action: "sendMessage", chatInput: "Hello" },
    });
  });

  it("carries its files by name", () => {
    const item = chatInputItem("s", "See", [
      { name: "a.txt", mimeType: "text/plain", size: 3, data: "YWJj" },
    ]);
    expect(item.binary).toEqual({
      data0: {
        fileName: "a.txt",
        mimeType: "text/plain",
        fileSize: "3",
        fileExtension: "txt",
        data: "YWJj",
      },
    });
    expect(item.json.files).toMatchObject([{ fileName: "a.txt" }]);
  });
});
