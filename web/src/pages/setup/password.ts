/** What makes a new password acceptable, and how good it is: told while it is typed, decided by the server. */

/** Letters a password needs, as the server has it. */
export const SHORTEST = 8;

export type Strength = "weak" | "fair" | "good";

/** Why a password cannot be used, or nothing. */
export function passwordProblem(password: string): string | undefined {
  const letters = [...password].length;
  if (letters === 0) return "A password is needed.";
  if (letters < SHORTEST) return `${SHORTEST - letters} more letters are needed.`;
  return undefined;
}

/** A rough guess by length and variety; length counts most. */
export function strength(password: string): Strength {
  const letters = [...password].length;
  const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z\d]/].filter((kind) => kind.test(password)).length;
  const different = new Set(password).size;
  if (letters < SHORTEST || different < 5) return "weak";
  if (letters >= 16 || (letters >= 12 && kinds >= 3)) return "good";
  return letters >= 10 || kinds >= 3 ? "fair" : "weak";
}

export function isEmail(text: string): boolean {
  return /^[^\s@]+@[^\s@]+$/.test(text.trim());
}
