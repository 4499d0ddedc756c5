/** Letters that tell the nodes of model and database providers apart, where one picture would stand for all of them. */

const MARKS: readonly [RegExp, string][] = [
  [/azure-?openai/i, "Az"],
  [/openai-compatible/i, "{ }"],
  [/open-?router/i, "OR"],
  [/openai/i, "OA"],
  [/anthropic/i, "An"],
  [/gemini/i, "Ge"],
  [/mistral/i, "Mi"],
  [/ollama/i, "Ol"],
  [/cohere/i, "Co"],
  [/deepseek/i, "DS"],
  [/groq/i, "Gq"],
  [/grok/i, "xAI"],
  [/pinecone/i, "Pi"],
  [/qdrant/i, "Qd"],
  [/supabase/i, "Su"],
  [/pgvector|postgres/i, "Pg"],
  [/mysql/i, "My"],
  [/redis/i, "Re"],
];

/** The letters of a type's provider; nothing for types that have a picture of their own. */
export function providerMark(type: string): string | undefined {
  const name = type.slice(type.lastIndexOf(".") + 1);
  return MARKS.find(([pattern]) => pattern.test(name))?.[1];
}
