import { expect, it } from "vitest";
import { type Answer, addChunk, answerText, extractText } from "./answer";

function heard(...chunks: [string, unknown?][]): Answer {
  let answer: Answer | undefined;
  for (const [type, content] of chunks) answer = addChunk(answer, { type, content });
  if (!answer) throw new Error("nothing was heard");
  return answer;
}

it("joins words and keeps a tool between them in its place", () => {
  const answer = heard(
    ["begin"],
    ["item", "Let me see."],
    ["tool-start", { id: "c1", name: "calculator", arguments: { input: "6*7" } }],
    ["tool-end", { id: "c1", name: "calculator", result: "42", isError: false, durationMs: 3 }],
    ["item", "It is "],
    ["item", "42."],
    ["end"],
  );
  expect(answer.parts.map((part) => part.kind)).toEqual(["text", "tool", "text"]);
  expect(answer.parts[1]).toMatchObject({
    name: "calculator",
    arguments: { input: "6*7" },
    result: "42",
    isRunning: false,
  });
  expect(answerText(answer)).toBe("Let me see.\n\nIt is 42.");
  expect(answer.isOver).toBe(true);
});

it("ends the call that still runs when a provider uses an id twice", () => {
  const answer = heard(
    ["tool-start", { id: "c", name: "a" }],
    ["tool-end", { id: "c", name: "a", result: 1 }],
    ["tool-start", { id: "c", name: "b" }],
    ["tool-end", { id: "c", name: "b", result: 2 }],
  );
  expect(answer.parts.map((part) => part.kind === "tool" && part.result)).toEqual([1, 2]);
});

it("adds up tokens and money, and knows no price from a price of nothing", () => {
  expect(heard(["usage", { inputTokens: 5, outputTokens: 2 }]).dollars).toBeNull();
  const priced = heard(
    ["usage", { inputTokens: 5, outputTokens: 2, dollars: 0 }],
    ["usage", { inputTokens: 1, dollars: 0.25 }],
  );
  expect([priced.inputTokens, priced.outputTokens, priced.dollars]).toEqual([6, 2, 0.25]);
});

it("reads the words out of the item of a last node", () => {
  expect(answerText(heard(["item", '{"output":"Done."}']))).toBe("Done.");
  expect(extractText([{ text: "x" }])).toBe("x");
  expect(extractText({ reply: "Hi" })).toBe("Hi");
  expect(extractText({ n: 1 })).toContain('"n": 1');
  expect(extractText(undefined)).toBe("");
  expect(answerText(heard(["item", "{not json"]))).toBe("{not json");
});

it("takes a failure as the end", () => {
  expect(heard(["item", "Half"], ["error"])).toMatchObject({ isOver: true, isFailed: true });
});
