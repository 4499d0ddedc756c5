/** What makes a new password acceptable, and how good it is: told while it is typed, decided by the server. */
import { plural } from "../../ui/format";

/** Letters a password needs, as the server has it. */
export const MIN_PASSWORD_CHARS = 8;

export type Strength = "weak" | "fair" | "good";

/** Why a password cannot be used, or nothing. */
export function passwordProblem(password: string): string | undefined {
  const letters = [...password].length;
  if (letters === 0) return "Enter a password.";
  if (letters < MIN_PASSWORD_CHARS)
    return `Enter at least ${plural(MIN_PASSWORD_CHARS - letters, "more character")}.`;
  return undefined;
}

/** A rough guess by length and variety; length counts most. */
export function passwordStrength(password: string): Strength {
  const letters = [...password].length;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) =>
    kind.test(password),
  ).length;
  const different = new Set(password).size;
  if (letters < MIN_PASSWORD_CHARS || different < 5) return "weak";
  if (letters >= 16 || (letters >= 12 && kinds >= 3)) return "good";
  return letters >= 10 || kinds >= 3 ? "fair" : "weak";
}

export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text.trim());
}
