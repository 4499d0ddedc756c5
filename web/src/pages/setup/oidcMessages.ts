/** What the server adds to the address when a sign-in with the provider did not work: `?oidc=denied`. */

const MESSAGES: Record<string, (name: string) => string> = {
  denied: (name) => `${name} did not let you in. Try again, or use your password.`,
  expired: () => "The sign-in took too long or was begun in another browser. Try again.",
  unavailable: (name) =>
    `${name} cannot be used right now. Use your password, or ask whoever runs Heddle: the server's log says why.`,
  unverified: (name) =>
    `${name} has not verified your email address. Verify it there, or use your password.`,
  unknown: () =>
    "There is no account with your email address. Ask an owner or admin to invite you.",
  "not-connected": (name) =>
    `Your account asks for an authenticator app. Sign in with your password, then connect ${name} in Settings.`,
  taken: (name) => `This ${name} account is connected to another user.`,
};

export function oidcMessage(word: string | null, name: string | null): string | null {
  const known = word !== null && Object.hasOwn(MESSAGES, word) ? MESSAGES[word] : undefined;
  return known?.(capitalize(name ?? "The sign-in provider")) ?? null;
}

function capitalize(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
