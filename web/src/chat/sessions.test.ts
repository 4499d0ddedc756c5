import { describe, expect, it } from "vitest";
import { awaited, fromKept, itemOf, listed, newSession, personSays, titleOf, toKept, withMessage } from "./sessions";

describe("a conversation", () => {
  it("is named by the first words in it", () => {
    expect(titleOf(newSession())).toBe("New conversation");
    expect(titleOf(withMessage(newSession(), personSays("What is six times seven?", [])))).toBe("What is six times seven?");
    expect(titleOf(withMessage(newSession(), personSays("x".repeat(80), []))).length).toBe(48);
  });

  it("changes a message in its place", () => {
    const answer = awaited();
    const session = withMessage(withMessage(newSession(), personSays("a", [])), answer);
    const done = withMessage(session, { ...answer, text: "b", state: "done" });
    expect(done.messages.map((message) => message.text)).toEqual(["a", "b"]);
  });

  it("is kept without the bytes of its files, and an answer that was coming has stopped", () => {
    const file = { name: "a.txt", mimeType: "text/plain", size: 3, data: "YWJj" };
    const session = withMessage(withMessage(newSession(), personSays("a", [file])), awaited());
    const [kept] = fromKept(toKept([session]));
    expect(kept?.messages[0]?.files).toEqual([{ name: "a.txt", mimeType: "text/plain", size: 3 }]);
    expect(kept?.messages[1]?.state).toBe("stopped");
  });

  it("is not read from what is none", () => {
    expect(fromKept("{")).toEqual([]);
    expect(fromKept('[{"id":1},null]')).toEqual([]);
    expect(fromKept(null)).toEqual([]);
  });

  it("is listed once something was said, the newest first", () => {
    const old = withMessage(newSession(1), personSays("old", []));
    const fresh = withMessage(newSession(2), personSays("new", []));
    const empty = newSession(3);
    expect(listed([old, fresh, empty], "").map((session) => session.beganMs)).toEqual([2, 1]);
    expect(listed([old, empty], empty.id).map((session) => session.beganMs)).toEqual([3, 1]);
  });
});

describe("a message", () => {
  it("becomes the item that a chat trigger gives", () => {
    expect(itemOf("s", "Hello", [])).toEqual({ json: { sessionId: "s", action: "sendMessage", chatInput: "Hello" } });
  });

  it("carries its files by name", () => {
    const item = itemOf("s", "See", [{ name: "a.txt", mimeType: "text/plain", size: 3, data: "YWJj" }]);
    expect(item.binary).toEqual({
      data0: { fileName: "a.txt", mimeType: "text/plain", fileSize: "3", fileExtension: "txt", data: "YWJj" },
    });
    expect(item.json.files).toMatchObject([{ fileName: "a.txt" }]);
  });
});
