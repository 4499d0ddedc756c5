/** What is typed into the form of a credential: which fields it shows, what is missing, what is sent. */
import type { CredentialType, CredentialTypeField } from "./credentialTypes";

/** The fields that people fill in. */
export function listFields(type: CredentialType): CredentialTypeField[] {
  return type.fields.filter((field) => field.kind !== "hidden");
}

/** What was typed: fields that were touched, by name. */
export type CredentialValues = Record<string, string | number | boolean | undefined>;

/** What is missing or cannot be, by field; empty when the form can be sent. */
export function validateFields(
  fields: readonly CredentialTypeField[],
  values: CredentialValues,
  isNew: boolean,
): Record<string, string> {
  const found: Record<string, string> = {};
  for (const field of fields) {
    const value = values[field.name];
    if (isNew && field.required && (value === undefined || value === ""))
      found[field.name] = `${field.label} is required.`;
    if (field.kind === "json" && typeof value === "string" && value.trim() !== "") {
      try {
        JSON.parse(value);
      } catch (error) {
        found[field.name] = `Invalid JSON: ${(error as Error).message}.`;
      }
    }
  }
  return found;
}

/** What is sent: for a new credential all that has a value, for one that is there only what was typed anew. */
export function credentialData(
  values: CredentialValues,
): Record<string, string | number | boolean> {
  return Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, string | number | boolean] =>
        entry[1] !== undefined && entry[1] !== "",
    ),
  );
}
