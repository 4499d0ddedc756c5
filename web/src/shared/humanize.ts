/** The word for a name in code: `accessTokenUrl` becomes `Access token URL`. */
export function humanize(name: string): string {
  const spaced = name
    .replace(/_/g, " ")
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .split(" ")
    .filter(Boolean)
    .map((word) => (ACRONYMS.has(word.toLowerCase()) ? word.toUpperCase() : word.toLowerCase()))
    .join(" ");
  return spaced === "" ? name : spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

const ACRONYMS = new Set([
  "api",
  "url",
  "id",
  "ssl",
  "ssh",
  "tls",
  "jwt",
  "http",
  "json",
  "ca",
  "uri",
  "sid",
  "totp",
]);
