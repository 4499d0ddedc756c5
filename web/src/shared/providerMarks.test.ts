import { expect, test } from "vitest";
import { providerMark } from "./providerMarks";

test("nodes of different providers have different letters", () => {
  const types = [
    "@n8n/n8n-nodes-langchain.lmChatOpenAi",
    "@n8n/n8n-nodes-langchain.lmChatAzureOpenAi",
    "@n8n/n8n-nodes-langchain.lmChatOpenRouter",
    "@n8n/n8n-nodes-langchain.lmChatAnthropic",
    "@n8n/n8n-nodes-langchain.lmChatGroq",
    "@n8n/n8n-nodes-langchain.lmChatXAiGrok",
    "@n8n/n8n-nodes-langchain.lmChatMistralCloud",
    "openai-compatible-model",
    "ollama-model",
    "n8n-nodes-base.postgres",
    "n8n-nodes-base.mySql",
  ];
  const marks = types.map(providerMark);
  expect(marks).not.toContain(undefined);
  expect(new Set(marks).size).toBe(types.length);
});

test("a provider has the same letters whatever its node does", () => {
  expect(providerMark("@n8n/n8n-nodes-langchain.embeddingsOpenAi")).toBe(
    providerMark("openai-model"),
  );
  expect(providerMark("n8n-nodes-base.httpRequest")).toBeUndefined();
});
