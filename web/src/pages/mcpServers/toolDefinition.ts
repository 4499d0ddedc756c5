// A tool's definition in words: its text with what is hidden made visible, its parameters, and what it says it does. Pure.

/** What a server says about a tool. */
export interface ToolDefinition {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
  annotations: Record<string, unknown>;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function readDefinition(value: unknown): ToolDefinition {
  const given = isRecord(value) ? value : {};
  return {
    name: typeof given.name === "string" ? given.name : "",
    description: typeof given.description === "string" ? given.description : "",
    inputSchema: isRecord(given.inputSchema) ? given.inputSchema : {},
    annotations: isRecord(given.annotations) ? given.annotations : {},
  };
}

/** Letters that cannot be seen, or that turn others round: what a person reads must be what a model reads. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}]/gu;

export function revealHidden(text: string): string {
  return text.replace(HIDDEN, (letter) =>
    letter === "\n" || letter === "\t"
      ? letter
      : `⟨U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}

/** A definition as lines that two of them can be compared by. */
export function definitionText(value: unknown): string {
  const { description, inputSchema, annotations } = readDefinition(value);
  const part = (title: string, text: string) => `${title}\n${revealHidden(text)}`;
  return [
    part("Description", description),
    part("Input", JSON.stringify(inputSchema, null, 2)),
    part("Annotations", JSON.stringify(annotations, null, 2)),
  ].join("\n\n");
}

export interface ToolParameter {
  name: string;
  type: string;
  isRequired: boolean;
  description: string;
}

/** The parameters of a tool, as a table has them. */
export function toolParameters(schema: Record<string, unknown>): ToolParameter[] {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required = Array.isArray(schema.required) ? schema.required : [];
  return Object.entries(properties).map(([name, value]) => {
    const given = isRecord(value) ? value : {};
    return {
      name: revealHidden(name),
      type: typeName(given),
      isRequired: required.includes(name),
      description: typeof given.description === "string" ? revealHidden(given.description) : "",
    };
  });
}

/** `text`, `number[]`, `"low" | "high"`. */
function typeName(schema: Record<string, unknown>): string {
  if (Array.isArray(schema.enum))
    return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  const choices = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(choices))
    return [...new Set(choices.filter(isRecord).map(typeName))].join(" | ");
  if (Array.isArray(schema.type)) return schema.type.join(" | ");
  if (schema.type === "array")
    return `${isRecord(schema.items) ? typeName(schema.items) : "any"}[]`;
  return typeof schema.type === "string" ? schema.type : "any";
}

/** What a tool does by its own account. Nobody checks this. */
export function claimedEffects(annotations: Record<string, unknown>): string[] {
  const isReadOnly = annotations.readOnlyHint === true;
  return [
    isReadOnly ? "Read-only" : "Makes changes",
    ...(!isReadOnly && annotations.destructiveHint === true ? ["Destructive"] : []),
    ...(annotations.openWorldHint === true ? ["Reaches outside"] : []),
  ];
}
